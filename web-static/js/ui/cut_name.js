/*
 * Names of runs that are too long for their place. They are cut in the middle, because they differ at their ends as often
 * as at their beginnings, and first of all where they begin like the other names.
 */

import { el } from '../base/dom.js';
import { emWidth } from './fitted.js';

const LONG = 12; /* letters */
const END = 9;
const ALIKE = 3; /* letters by which names belong together */

function commonLength(one, other) {
	let length = 0;
	while (length < one.length && one[length] === other[length]) length++;
	return length;
}

/* Returns a function: how many letters a name shares with all names that begin like it, up to a separator. */
export function sharedStarts(names) {
	const found = new Map();
	for (const name of new Set(names)) {
		const key = name.slice(0, ALIKE);
		const before = found.get(key);
		found.set(key, before === undefined ? [name, Infinity] : [before[0], Math.min(before[1], commonLength(before[0], name))]);
	}
	const starts = new Map([...found].filter(([, [, length]]) => length < Infinity)
		.map(([key, [name, length]]) => [key, name.slice(0, length).replace(/[^-_/.:,= ]*$/, '').length]));
	return (name) => starts.get(name.slice(0, ALIKE)) ?? 0;
}

/*
 * Returns [start, front, end]: the start is cut first, then the front. start: how many letters other names share. null: the
 * name stays in one piece, because it is short and like no other, or has letters that join or change the direction.
 */
export function partsOf(name, start = 0) {
	const shared = start > ALIKE && start < name.length ? start : 0;
	if ((name.length <= LONG && !shared) || !/^[ -~]+$/.test(name)) return null;
	const end = Math.max(shared, name.length - END);
	return [name.slice(0, shared), name.slice(shared, end), name.slice(end)];
}

/*
 * Returns {class, style, nodes, label} for the element that has the room; label: its name if the nodes are parts of it.
 * startOf: as of sharedStarts().
 */
export function cutName(name, startOf = () => 0) {
	const parts = partsOf(name, startOf(name));
	if (!parts) return { class: 'clip', style: {}, nodes: el('bdi', {}, name), label: null };
	const [start, front, end] = parts;
	return { class: 'cut', style: { '--end': `${emWidth(end)}em`, '--rest': `${emWidth(front + end)}em` }, label: name,
		nodes: [start && el('bdi', { class: 'clip start' }, start), front && el('bdi', { class: 'clip' }, front), el('bdi', {}, end)] };
}
