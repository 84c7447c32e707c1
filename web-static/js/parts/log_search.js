/*
 * A search that the server does, page by page, so that hits are counted while it goes on. After some seconds it waits
 * for somebody to say that it should go on.
 */

import { ask } from '../api.js';

const PAGE = 1000;
const HITS_MAX = 5000;
const TIME_MS = 20000;

/* '/re/' is an expression. Small letters alone are found in either case. */
export function parse(value) {
	const regex = value.length > 2 && value.startsWith('/') && value.endsWith('/') ? value.slice(1, -1) : null;
	return { text: regex ?? value, isRegex: regex !== null };
}

function isSmall(text) {
	return text === text.toLowerCase();
}

/* Expressions that may take for ever are found by the server alone, not marked here. */
function isQuick(source) {
	return !/\)[*+{]|\\[1-9]|\(\?[<!=]/.test(source);
}

/* For marking what is seen; null when it cannot be. */
export function marker({ text, isRegex }) {
	if (!text || (isRegex && !isQuick(text))) return null;
	try {
		const source = isRegex ? text : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
		return new RegExp(source, isSmall(text) ? 'giu' : 'gu');
	} catch {
		return null;
	}
}

function byTime(a, b) {
	return a.time - b.time || a.writer - b.writer || a.line - b.line;
}

/* scope: {path, writers, stream}; told(search) with each page. */
export function startSearch(scope, wanted, context, told) {
	const ends = new AbortController();
	const search = { hits: [], looked: 0, givenUp: 0, isDone: false, isWaiting: false, isFull: false, fault: null, resume, stop };
	let cursor = null;

	function take(page) {
		search.hits.push(...page.items);
		search.hits.sort(byTime);
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
				case: isSmall(wanted.text) ? 'ignore' : 'match', context, limit: PAGE, ...(scope.writers && { writers: scope.writers }),
				...(scope.stream && { stream: scope.stream }), ...(cursor && { cursor }) });
			const answer = await ask('GET', `${scope.path}/console?${params}`, undefined, { signal: ends.signal });
			if (ends.signal.aborted) return;
			if (answer.status !== 200) {
				search.fault = answer;
				return told(search);
			}
			take(answer.body);
			told(search);
		}
		search.isWaiting = !search.isDone && !search.isFull;
		told(search);
	}

	function stop() {
		ends.abort();
	}

	resume();
	return search;
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
