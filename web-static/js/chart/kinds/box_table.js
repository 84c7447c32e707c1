/* Boxes as a table, and the runs that are drawn as points beside them, which the keyboard picks there. */

import { el } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { text } from '../../text/chart.js';
import { text as panelsText } from '../../text/panels.js';
import { pointsOf } from './box_plot.js';

const words = panelsText.panels;
const ROWS = 200;
const STATISTICS = ['n', 'least', 'first', 'median', 'third', 'most', 'mean'];

function table(caption, head, rows) {
	return el('table', { class: 'list' }, el('caption', { class: 'sr' }, caption),
		el('thead', {}, el('tr', {}, head.map((name) => el('th', { scope: 'col' }, name)))), el('tbody', {}, rows));
}

const valueCell = (value) => el('td', { class: 'num', title: String(value) }, number(value));

const boxRow = (box) =>
	el('tr', {}, el('th', { scope: 'row' }, box.name), STATISTICS.map((name) => valueCell(box[name])));

function pointRow({ id, name, value, group }, pick) {
	const picked = { type: 'button', class: 'link', onclick: () => pick(id) };
	return el('tr', {}, el('th', { scope: 'row' }, pick ? el('button', picked, name) : name), el('td', {}, group),
		valueCell(value));
}

/* boxes: of box_plot.js; name: of the panel; pick(id): where a run can be. */
export function boxTables(boxes, { name, pick }) {
	const points = boxes.flatMap((box) => pointsOf(box).map((point) => ({ ...point, group: box.name })));
	return [
		table(text.charts.tableOf(name), [words.group, ...words.statistics], boxes.map(boxRow)),
		points.length > 0 && table(words.pointsOf(name), words.pointColumns,
			points.slice(0, ROWS).map((point) => pointRow(point, pick))),
		points.length > ROWS && el('p', { class: 'muted' }, text.charts.moreRuns(points.length - ROWS)),
	];
}
