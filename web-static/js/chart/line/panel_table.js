/*
 * The same as a table, for users of screen readers: a row a line, from its first value to its last,
 * which are those of its first and last rows where it is drawn in their order.
 */

import { el } from '../../base/dom.js';
import { count, number } from '../../base/format.js';
import { text } from '../../text/chart.js';
import { text as common } from '../../text/common.js';
import { lastOf } from './lines.js';

const words = text.charts;
const ROWS = 200;

const least = (values) => values.reduce((a, b) => b === null || (a !== null && a <= b) ? a : b, null);
const most = (values) => values.reduce((a, b) => b === null || (a !== null && a >= b) ? a : b, null);
const total = (values) => values.reduce((a, b) => a + b, 0);
const shown = (value) => value === null ? common.none : number(value);

function row(line, { mean }) {
	const first = mean.find((value) => value !== null) ?? null;
	return el('tr', {}, el('th', { scope: 'row' }, line.name),
		[shown(first), shown(lastOf(mean)), shown(least(line.min)), shown(most(line.max)), count(total(line.n)),
			count(total(line.nan)), count(total(line.pinf) + total(line.ninf))].map((cell) => el('td', { class: 'num' }, cell)));
}

export function panelTable({ shown: lines, name, order }) {
	return [el('table', { class: 'list' }, el('caption', { class: 'sr' }, words.tableOf(name)),
		el('thead', {}, el('tr', {}, words.columns.map((name) => el('th', { scope: 'col' }, name)))),
		el('tbody', {}, lines.slice(0, ROWS).map((line) => row(line, order.now().inRows(line))))),
	lines.length > ROWS && el('p', { class: 'muted' }, words.moreRows(count(lines.length - ROWS)))];
}
