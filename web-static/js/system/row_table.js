/* The rows of a panel in words: what each is now, and its least, median and greatest. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { medianOf } from '../base/median.js';
import { text } from '../text/chart.js';
import { text as common } from '../text/common.js';
import { text as systemText } from '../text/system.js';
import { extentOf, lastOf } from './sheet.js';

const words = systemText.system;
const ROWS = 200;

function lineOf({ say, names }, row) {
	const values = row.cells.filter((value) => !Number.isNaN(value));
	const [low, high] = extentOf([row], 0, row.last);
	const valueText = (value) => Number.isFinite(value) ? say(value) : common.none;
	return el('tr', {}, el('th', { scope: 'row' }, names(row)),
		[valueText(lastOf(row)), valueText(low), valueText(medianOf(values)), valueText(high)].map((cell) => el('td', { class: 'num' }, cell)));
}

export function rowTable(panel, rows) {
	return [el('table', { class: 'list' }, el('caption', { class: 'sr' }, text.charts.tableOf(panel.name)),
		el('thead', {}, el('tr', {}, words.columns.map((name) => el('th', { scope: 'col' }, name)))),
		el('tbody', {}, rows.slice(0, ROWS).map((row) => lineOf(panel, row)))),
	rows.length > ROWS && el('p', { class: 'muted' }, text.charts.moreRows(count(rows.length - ROWS)))];
}
