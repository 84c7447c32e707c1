/*
 * Config or summary: each key with its value, nested ones by their dotted name, searched by key or value. Above 40
 * keys they fold by prefix; long texts and lists open in place.
 */

import { el, replace } from '../dom.js';
import { count, number } from '../format.js';
import { icon } from '../icons.js';
import { field, iconButton, menu } from '../parts/controls.js';
import { text } from '../text.js';
import { countedCard } from './card.js';
import { copy } from './copy.js';
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

function rows(list) {
	return [el('table', { class: 'table doc' }, el('tbody', {}, list.slice(0, SHOWN).map(row))),
		list.length > SHOWN && el('p', { class: 'note' }, words.more(count(list.length - SHOWN)))];
}

/* Its rows are made when it is opened. */
function folder([prefix, list], open) {
	const node = el('details', { class: 'prefix', open: open.has(prefix) },
		el('summary', {}, icon('right'), prefix || words.others, ' ', el('span', { class: 'count' }, count(list.length))));
	const fill = () => node.open && node.childElementCount === 1 && node.append(el('div', {}, rows(list)));
	node.addEventListener('toggle', () => {
		if (node.open) open.add(prefix);
		else open.delete(prefix);
		fill();
	});
	fill();
	return node;
}

/* {node, update(document)} */
export function documentCard(name, document) {
	const open = new Set();
	const body = el('div', { class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': name });
	const search = field('search', words.search(name), { look: 'slim', placeholder: words.hint });
	const input = search.querySelector('input');
	const copier = menu(iconButton('copy', words.copy(name), { class: 'ibtn small' }), () => [
		{ label: words.asJson, onpick: () => copy(JSON.stringify(document, null, 2)) },
		{ label: words.asYaml, onpick: () => copy(yaml(document)) }]);
	const node = countedCard(name, '', [search, copier], body);
	let drawn;

	function draw() {
		const all = ownLeaves(document);
		const found = matching(all, input.value);
		const isFolded = all.length > FOLD_ABOVE && found.length > FOLD_ABOVE;
		node.querySelector('.count').textContent = found.length === all.length ? count(all.length) : words.of(count(found.length), count(all.length));
		replace(body, !found.length ? el('p', { class: 'note' }, all.length ? words.noMatch : words.nothing)
			: isFolded ? byPrefix(found).map((group) => folder(group, open)) : rows(found));
	}

	function update(next) {
		const now = JSON.stringify(next);
		document = next;
		if (now !== drawn) draw();
		drawn = now;
	}

	input.addEventListener('input', draw);
	update(document);
	return { node, update };
}
