/* Collections as a table; the heads of columns that the server can sort by are buttons. */

import { el, renew, replace } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { text as common } from '../text/common.js';
import { text } from '../text/artifacts.js';
import { ago } from '../ui/times.js';
import { aliasLinks, tagChips } from './chips.js';
import { hrefOfCollection, hrefOfVersion } from './places.js';

const words = text.artifacts;
/* [name, look, what the server calls it, and how it begins] */
const COLUMNS = [['name', '', 'name', 'name'], ['type', ''], ['aliases', ''], ['versions', 'number'], ['newest', ''], ['size', 'number'],
	['all', 'number'], ['changed', '', 'changed_at', '-changed_at']];

export const FIRST_ORDER = '-changed_at';
export const ORDERS = ['name', '-name', 'changed_at', '-changed_at'];

const turned = (order) => order.startsWith('-') ? order.slice(1) : `-${order}`;

function head([name, look, key, begins], order, onsort) {
	const isHere = key && (order === key || order === `-${key}`);
	const sort = isHere ? order.startsWith('-') ? 'descending' : 'ascending' : null;
	const label = words.columns[name];
	return el('th', { scope: 'col', class: look, 'aria-sort': sort }, key
		? el('button', { type: 'button', class: 'sorter', title: words.sortBy(label), onclick: () => onsort(isHere ? turned(order) : begins) },
			label, isHere && el('span', { 'aria-hidden': 'true' }, sort === 'ascending' ? '↑' : '↓')) : label);
}

const sizeOf = (size) => size === null || size === undefined ? common.none : bytes(size);

function row(place, item) {
	const at = { ...place, type: item.type, collection: item.name };
	const hrefOf = (version) => hrefOfVersion({ ...at, version });
	return el('tr', {},
		el('th', { scope: 'row' }, el('a', { href: hrefOfCollection(at), title: item.name }, el('bdi', {}, item.name)),
			item.kind === 'portfolio' && [' ', el('span', { class: 'count', title: words.isPortfolio }, words.portfolio)],
			item.tags.length > 0 && [' ', tagChips(item.tags, 3)],
			item.description && el('div', { class: 'soft clip', title: item.description }, item.description)),
		el('td', {}, el('bdi', { class: 'clip' }, item.type)),
		el('td', {}, el('span', { class: 'chips' }, aliasLinks(item.aliases, hrefOf))),
		el('td', { class: 'number' }, count(item.versions)),
		el('td', {}, item.latest ? el('a', { href: hrefOf(item.latest.version) }, item.latest.version) : common.none),
		el('td', { class: 'number' }, sizeOf(item.latest?.bytes)),
		el('td', { class: 'number' }, bytes(item.bytes)),
		el('td', {}, ago(item.changed_at)));
}

/* {node, show(items, order)} */
export function collectionTable(place, onsort) {
	const rows = new Map();
	const body = el('tbody');
	const heads = el('tr');
	let sorted = '';

	function fresh(item) {
		const now = row(place, item);
		rows.set(item.id, rows.has(item.id) ? renew(rows.get(item.id), now) : now);
		return rows.get(item.id);
	}

	function show(items, order) {
		const shown = items.map(fresh);
		const areInPlace = shown.length === body.childElementCount && shown.every((node, at) => body.children[at] === node);
		if (!areInPlace) replace(body, shown);
		if (sorted === order) return;
		const at = [...heads.children].findIndex((one) => one.contains(document.activeElement));
		replace(heads, COLUMNS.map((column) => head(column, order, onsort)));
		heads.children[at]?.querySelector('button')?.focus();
		sorted = order;
	}

	return {
		node: el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.table },
			el('table', { class: 'list artifacts' }, el('thead', {}, heads), body)),
		show,
	};
}
