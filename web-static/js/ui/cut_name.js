/* Names of runs differ at their ends as often as at their beginnings: where there is no room they are cut between. */

import { el } from '../base/dom.js';

const LONG = 18; /* letters */
const END = 9;

/* [front, end]; null where it stays in one piece, as of letters that join each other, or turn. */
export function partsOf(name) {
	return name.length > LONG && /^[ -~]+$/.test(name) ? [name.slice(0, -END), name.slice(-END)] : null;
}

/* {class, nodes, label: what it is called where the nodes are parts of it}, for the element that has the room. */
export function cutName(name) {
	const parts = partsOf(name);
	if (!parts) return { class: 'clip', nodes: el('bdi', {}, name), label: null };
	return { class: 'cut', nodes: [el('bdi', { class: 'clip' }, parts[0]), el('bdi', {}, parts[1])], label: name };
}
