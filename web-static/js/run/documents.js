/*
 * Config or summary: each key with its value, nested ones by their dotted name, searched by key or value. Above 40
 * keys they fold by prefix; long texts and lists open in place.
 */

import { arrange, el } from '../dom.js';
import { count, number } from '../format.js';
import { icon } from '../icons.js';
import { field, iconButton, menu } from '../parts/controls.js';
import { pressGuard } from '../parts/press_guard.js';
import { text } from '../text.js';
import { countedCard } from './card.js';
import { copy } from '../parts/copy.js';
import { byPrefix, matching, ownLeaves } from './leaves.js';
import { yaml } from './yaml.js';

const words = text.runDocuments;
const FOLD_ABOVE = 40;
const SHOWN = 500;
const LONG = 80;

function plain(value) {
	if (typeof value === 'number') return number(value);
	return typeof value === 'string' ? value : JSON.stringify(value);
}

function isNested(value) {
	return value !== null && typeof value === 'object' && Object.keys(value).length > 0;
}

/* What is short stands there; what is long opens. */
function shown(value) {
	const short = plain(value);
	if (short.length <= LONG && !short.includes('\n')) return el('bdi', {}, short);
	return el('details', { class: 'long' }, el('summary', {}, el('bdi', {}, `${short.slice(0, LONG).replace(/\s+/g, ' ')}…`)),
		el('pre', { tabindex: 0 }, isNested(value) ? JSON.stringify(value, null, 2) : short));
}

function row([before, key, value]) {
	return el('tr', {},
		el('th', { scope: 'row' }, el('bdi', {}, el('span', { class: 'muted' }, before), key)),
		el('td', { class: 'mono value', title: typeof value === 'number' ? String(value) : null }, shown(value)));
}

/* What is open of a value stays open when it changes. */
function rowAgain(leaf, old) {
	const node = row(leaf);
	const long = old?.querySelector('details[open]') && node.querySelector('details');
	if (long) long.open = true;
	return node;
}

/* {nodes, fill(leaves)}: a row stays the same one as long as its value does. */
function leafTable() {
	const body = el('tbody');
	const note = el('p', { class: 'note', hidden: true });
	let made = new Map();

	function fill(list) {
		const before = made;
		made = new Map(list.slice(0, SHOWN).map((leaf) => {
			const name = leaf[0] + leaf[1];
			const value = JSON.stringify(leaf[2]);
			const old = before.get(name);
			return [name, { value, node: old?.value === value ? old.node : rowAgain(leaf, old?.node) }];
		}));
		arrange(body, [...made.values()].map(({ node }) => node));
		note.hidden = list.length <= SHOWN;
		note.textContent = words.more(count(list.length - SHOWN));
	}

	return { nodes: [el('table', { class: 'table doc' }, body), note], fill };
}

/* {node, fill(leaves)}; its rows are made when it is opened. */
function folder(prefix) {
	const table = leafTable();
	const told = el('span', { class: 'count' });
	const node = el('details', { class: 'prefix' }, el('summary', {}, icon('right'), prefix || words.others, ' ', told), el('div', {}, table.nodes));
	let leaves = [];

	function fill(list) {
		leaves = list;
		told.textContent = count(list.length);
		if (node.open) table.fill(list);
	}

	node.addEventListener('toggle', () => fill(leaves));
	return { node, fill };
}

/* {node, update(document)} */
export function documentCard(name, document) {
	const folders = new Map();
	const all = leafTable();
	const none = el('p', { class: 'note' });
	const body = el('div', { class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': name });
	const search = field('search', words.search(name), { look: 'slim', placeholder: words.hint });
	const input = search.querySelector('input');
	const copier = menu(iconButton('copy', words.copy(name), { class: 'ibtn small' }), () => [
		{ label: words.asJson, onpick: () => copy(JSON.stringify(document, null, 2)) },
		{ label: words.asYaml, onpick: () => copy(yaml(document)) }]);
	const node = countedCard(name, '', [search, copier], body);
	const isPressed = pressGuard(body, () => update(document));
	let drawn;

	function folderOf([prefix, list]) {
		if (!folders.has(prefix)) folders.set(prefix, folder(prefix));
		folders.get(prefix).fill(list);
		return folders.get(prefix).node;
	}

	function nodesOf(leaves, found) {
		if (!found.length) {
			none.textContent = leaves.length ? words.noMatch : words.nothing;
			return [none];
		}
		if (leaves.length > FOLD_ABOVE && found.length > FOLD_ABOVE) return byPrefix(found).map(folderOf);
		all.fill(found);
		return all.nodes;
	}

	function draw() {
		const leaves = ownLeaves(document);
		const found = matching(leaves, input.value);
		node.querySelector('.count').textContent = found.length === leaves.length ? count(leaves.length) : words.of(count(found.length), count(leaves.length));
		arrange(body, nodesOf(leaves, found));
	}

	function update(next) {
		const now = JSON.stringify(next);
		document = next;
		if (now === drawn || isPressed()) return;
		drawn = now;
		draw();
	}

	input.addEventListener('input', draw);
	update(document);
	return { node, update };
}
