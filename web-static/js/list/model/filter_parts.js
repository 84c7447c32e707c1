/*
 * A filter as the parts that all have to hold, and which of them keeps the most runs out: without it the most are
 * found. Where no single one can go alone it is the one that fewest runs have. Pure, but for `count`.
 */

import { isProgram, tokens } from '../../base/filter_text.js';
import { text as listText } from '../../text/list.js';
import { likeKey, unknownKey } from './refused.js';

const text = listText.workspace;

const PARTS_MOST = 8; /* each is a question */

/* Its parts as they are written, brackets and what they hold as one; none where either of two may hold. */
export function partsOf(filter) {
	if (isProgram(filter)) return [];
	const parts = [];
	let depth = 0;
	let from = null;
	for (const token of tokens(filter)) {
		const word = filter.slice(token.from, token.to);
		const joiner = token.kind === 'joiner' && !depth ? word.toLowerCase() : null;
		if (joiner === 'or') return [];
		if (joiner === 'and') continue;
		from ??= token.from;
		if (token.kind === 'bracket') depth += word === '(' ? 1 : -1;
		if (joiner === 'not' || depth > 0) continue;
		parts.push(filter.slice(from, token.to));
		from = null;
	}
	return depth || from !== null ? [] : parts;
}

const greatest = (counts) => counts.reduce((best, count, at) => count > counts[best] ? at : best, 0);

/* count(filter): how many runs, or null. {part, rest, count: without it} or null. */
export async function strictest(filter, count) {
	const parts = partsOf(filter);
	if (parts.length < 2 || parts.length > PARTS_MOST) return null;
	const rests = parts.map((_, at) => parts.filter((_part, other) => other !== at).join(' '));
	const without = await Promise.all(rests.map(count));
	if (without.includes(null)) return null;
	if (without.some((runs) => runs > 0)) {
		const at = greatest(without);
		return { part: parts[at], rest: rests[at], count: without[at] };
	}
	const alone = await Promise.all(parts.map(count));
	if (alone.includes(null)) return null;
	const at = greatest(alone.map((runs) => -runs));
	return { part: parts[at], rest: rests[at], count: 0 };
}

/*
 * Returns the server's error about a filter: {words, at, length, key, meant}, with its place, if that is known, and the
 * known key that an unknown key may mean, or ''. The server counts characters; if the filter is JSON, it names the member.
 */
export function filterFault({ detail, field = '' }, keys = [], filter = '') {
	const member = field.replace(/^filter\.?/, '');
	const place = /,? at character (\d+)/.exec(detail);
	const key = unknownKey({ body: { detail } });
	const plain = detail.replace(place?.[0] ?? '', '');
	return { words: member ? `${member}: ${detail}` : key === null ? sentence(plain) : text.unknownKey(key),
		at: place ? [...filter].slice(0, Number(place[1]) - 1).join('').length : undefined,
		length: key?.length, key, meant: key === null ? '' : likeKey(key, keys) };
}

/* The server's errors begin with a small letter and have no full stop. */
function sentence(words) {
	const first = words.charAt(0).toUpperCase() + words.slice(1);
	return /[.?!]$/.test(first) ? first : `${first}.`;
}
