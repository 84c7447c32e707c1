/* JSON as a tree; what is inside is made when it is opened. What is no JSON is shown as text. */

import { el, replace } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/files.js';
import { button } from '../ui/controls.js';
import { partFault } from './part_fault.js';

const words = text.files;
const SHOWN = 100; /* of a list or an object at once */
const LETTERS = 500; /* of a text, until it is opened */

function isBranch(value) {
	return value !== null && typeof value === 'object';
}

function leaf(value) {
	const kind = value === null ? 'null' : typeof value;
	const written = JSON.stringify(value);
	if (written.length <= LETTERS) return el('bdi', { class: `json-${kind}` }, written);
	return el('details', { class: 'long' },
		el('summary', {}, el('bdi', { class: `json-${kind}` }, `${written.slice(0, LETTERS)}…`)),
		el('pre', { tabindex: 0 }, value));
}

function item([key, value]) {
	const name = el('bdi', { class: 'json-key' }, key);
	return isBranch(value) ? branch(name, value) : el('div', { class: 'json-leaf' }, name, leaf(value));
}

/* So many of them, and a button for those that follow. */
function addItems(place, entries, from) {
	const to = Math.min(from + SHOWN, entries.length);
	place.append(...entries.slice(from, to).map(item));
	if (to === entries.length) return;
	const more = button(words.more(count(Math.min(SHOWN, entries.length - to))), { look: 'small', onclick: () => {
		const last = place.childElementCount - 1;
		more.remove();
		addItems(place, entries, to);
		place.children[last]?.querySelector('summary')?.focus();
	} });
	place.append(more);
}

function branch(name, value, isOpen = false) {
	const entries = Object.entries(value);
	const node = el('details', { class: 'json-branch', open: isOpen },
		el('summary', {}, name, el('span', { class: 'muted' }, words.items(count(entries.length), Array.isArray(value)))));
	const fill = () => {
		if (!node.open || node.childElementCount > 1) return;
		const place = el('div', {});
		addItems(place, entries, 0);
		node.append(place);
	};
	node.addEventListener('toggle', fill);
	fill();
	return node;
}

function parsed(content) {
	try {
		return { value: JSON.parse(content) };
	} catch (error) {
		return { why: error.message };
	}
}

/* instead(): the view of what turns out to be no JSON. */
export function jsonView(parts, instead) {
	const place = el('div', { class: 'scroll file-json', tabindex: 0, role: 'region', 'aria-label': words.json },
		el('p', { class: 'note' }, words.loading));
	const node = el('div', { class: 'file-view' }, place);
	let isStopped = false;
	let other = null;

	async function start() {
		const read = await parts.all();
		if (isStopped) return;
		if (read.text === undefined) return void replace(place, partFault(read, start));
		const { value, why } = parsed(read.text);
		if (why === undefined) return void replace(place, isBranch(value) ? branch(null, value, true) : leaf(value));
		other = instead();
		replace(node, el('p', { class: 'note' }, words.noJson(why)), other.node);
	}

	start();
	return {
		node,
		stop() {
			isStopped = true;
			other?.stop();
		},
	};
}
