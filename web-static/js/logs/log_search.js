/*
 * A search that the server does, page by page, so that hits are counted while it goes on. After some seconds it waits
 * for the user to continue it.
 */

import { ask } from '../api.js';
import { inOrder } from './log_order.js';

const PAGE = 1000;
const HITS_MAX = 5000;
const TIME_MS = 20000;
const REACH = 2000; /* characters of a line that an expression marks */
const MARKING_MS = 40; /* that marking takes at a time, */
const MARKING_SHARE = 0.2; /* and of all time: one loop may go over a line from each of its characters */
const CHOICES = 8;
const CHOICES_IN_LOOP = 3;

/* '/re/' is an expression, and '\/text/' the text '/text/'. Small letters alone are found in either case. */
export function parse(value) {
	if (/^\/[^]+\/$/.test(value)) return { text: value.slice(1, -1), isRegex: true };
	return { text: value.replace(/^\\(\\*\/[^]+\/)$/, '$1'), isRegex: false };
}

/* Returns the text that parse() reads as this search. */
export function written(text, isRegex) {
	if (isRegex && text) return `/${text}/`;
	return /^\\*\/[^]+\/$/.test(text) ? `\\${text}` : text;
}

function isSmall(text) {
	return text === text.toLowerCase();
}

/*
 * Expressions that may take long are found by the server alone, not marked here: one loop at most, and few ways to
 * choose from, fewer within a loop's reach.
 */
function isQuick(source) {
	if (/\)[*+{]|\\[1-9]|\(\?[<!=]/.test(source)) return false;
	const bare = source.replace(/\\[^]/g, 'x').replace(/\[[^\]]*\]/g, 'x').replace(/\(\?:/g, '(');
	const loops = bare.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
	const choices = (bare.match(/[^*+}]\?/g)?.length ?? 0) + (bare.includes('(') ? bare.split('|').length - 1 : 0);
	return loops <= 1 && choices <= (loops ? CHOICES_IN_LOOP : CHOICES);
}

/* Gives a function that calls another if there is time left, else gives null; time comes back as it passes. */
function withinTime() {
	let left = MARKING_MS;
	let seenAt = performance.now();
	return (look) => {
		const now = performance.now();
		left = Math.min(MARKING_MS, left + (now - seenAt) * MARKING_SHARE);
		seenAt = now;
		if (left <= 0) return null;
		const found = look();
		left -= performance.now() - now;
		return found;
	};
}

/*
 * {regex, reach, within}, for marking so many characters of what is seen as long as there is time; null when it cannot be.
 */
export function marker({ text, isRegex }) {
	if (!text || (isRegex && !isQuick(text))) return null;
	try {
		const source = isRegex ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
		return { regex: new RegExp(source, isSmall(text) ? 'giu' : 'gu'), reach: isRegex ? REACH : Infinity,
			within: withinTime() };
	} catch {
		return null;
	}
}

/* scope: {path, writers, stream, order}; onPage(search) is called with each page. */
export function startSearch(scope, wanted, context, onPage) {
	const ends = new AbortController();
	const search = { hits: [], looked: 0, givenUp: 0, isDone: false, isWaiting: false, isFull: false, fault: null, resume,
		stop };
	let cursor = null;

	function take(page) {
		search.hits.push(...page.items);
		search.hits.sort(inOrder(scope.order));
		search.looked += page.looked_at;
		search.givenUp += page.given_up;
		cursor = page.next_cursor;
		search.isDone = !cursor;
		search.isFull = search.hits.length >= HITS_MAX && !search.isDone;
	}

	async function resume() {
		const end = performance.now() + TIME_MS;
		search.isWaiting = false;
		while (!search.isDone && !search.isFull && performance.now() < end) {
			const params = new URLSearchParams({ search: wanted.text, syntax: wanted.isRegex ? 'regex' : 'text',
				case: isSmall(wanted.text) ? 'ignore' : 'match', context, limit: PAGE, ...scope.order.asked,
				...(scope.writers && { writers: scope.writers }), ...(scope.stream && { stream: scope.stream }),
				...(cursor && { cursor }) });
			const answer = await ask('GET', `${scope.path}/console?${params}`, undefined, { signal: ends.signal });
			if (ends.signal.aborted) return;
			if (answer.status !== 200) {
				search.fault = answer;
				return onPage(search);
			}
			take(answer.body);
			onPage(search);
		}
		search.isWaiting = !search.isDone && !search.isFull;
		onPage(search);
	}

	function stop() {
		ends.abort();
	}

	resume();
	return search;
}

/*
 * The place of the hit that is a step from `hit`; of -1, which is none yet, from what is seen, whose first line is
 * `top`; of none from the first.
 */
export function nextHit(hits, hit, step, top, placeOf) {
	const seen = hits.findIndex((line) => !top || placeOf(line) >= placeOf(top));
	const [first, last] = seen < 0 ? [0, hits.length - 1] : [seen, seen - 1];
	const next = hit >= 0 ? hit + step : step > 0 ? first : last;
	return (next + hits.length) % hits.length;
}

/* Hits with the lines around them, each once. */
export function withContext(hits) {
	const made = new Map();
	for (const { before = [], after = [], ...hit } of hits) {
		for (const line of [...before, hit, ...after]) {
			const key = `${line.writer}:${line.line}`;
			if (!made.has(key)) made.set(key, line);
		}
	}
	return [...made.values()];
}
