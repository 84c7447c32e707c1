/*
 * Base of panels that draw runs as points or as lines across axes: the values, the run that is pointed at, its colour,
 * and a table of the same values.
 */

import { el, refill, replace } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { paint } from '../../base/palette.js';
import { text } from '../../text/chart.js';
import { text as common } from '../../text/common.js';
import { text as panelsText } from '../../text/panels.js';
import { isWithin } from '../panel/facets.js';
import { coloredBy } from './run_colors.js';
import { runFocus } from './run_focus.js';
import { ValuePanel } from './value_panel.js';

const words = text.panels;
const ROWS = 200;

export function shownValue(value) {
	if (value === undefined) return common.none;
	return typeof value === 'number' ? number(value) : String(value);
}

/* Says how many runs a mean covers, and the spread of their values. */
export function ofRuns(numbers) {
	const { count, std } = numbers || {};
	if (!count) return '';
	return typeof std === 'number' ? text.charts.around(number(std), count) : text.charts.ofRuns(count);
}

/* A kind has figure(runs, size, all of which axes are): a node with an SVG whose parts have the data-run of their run. */
export class RunPlotPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plot = null;
		this.plotNode.classList.add('run-plot');
		this.pointed = runFocus(this.plotNode);
		const runOf = ({ target }) => target.closest('[data-run]')?.dataset.run;
		this.plotNode.addEventListener('pointerover', (event) => this.tell(runOf(event)));
		this.plotNode.addEventListener('pointerleave', () => this.tell());
		this.plotNode.addEventListener('click', (event) => this.pick(runOf(event)));
		this.stops.push(this.pointed.stop);
	}

	pick(id) {
		if (this.page.runs.some((run) => run.id === id)) this.page.pick?.(id);
	}

	tell(id) {
		const run = this.data?.runs.find((one) => one.id === id);
		if (!run) {
			this.tip.hidden = true;
			return;
		}
		this.showTip(
			el('div', { class: 'tip-head' }, run.name),
			this.data.keys.map((key, at) =>
				el('div', { class: 'tip-row' }, el('span', { class: 'clip' }, key), el('b', {}, shownValue(run.values[at])),
					run.isGroup && el('small', {}, ofRuns(run.numbers[at]))),
			),
			this.signs.filter(({ isOf }) => isOf(run)).map(({ word }) => el('div', { class: 'tip-row' }, word)),
		);
	}

	/* Runs and groups with what they have under the keys that were asked for. */
	dataOf(values, numbers) {
		const all = this.marksOf(values, numbers);
		return { keys: this.fields, axes: this.keys.length, all, runs: all.filter((mark) => this.isHere(mark)) };
	}

	isHere(mark) {
		return isWithin(this.spec.facet, mark);
	}

	/* Further marks of some runs, shown in the table and in files: {name, head, word, isOf(run)}. */
	get signs() {
		return [];
	}

	/* The key by which runs are coloured; each has its own colour without one. */
	get colorKey() {
		return this.spec.color;
	}

	fill(node) {
		const { keys, axes, all } = this.data;
		if (axes < 2) {
			this.plot = null;
			return replace(node, el('p', { class: 'muted' }, panelsText.panels.twoKeys));
		}
		const size = { width: Math.max(200, node.clientWidth - 8), height: Math.max(120, node.clientHeight - 4) };
		const colored = coloredBy(all, keys.indexOf(this.colorKey));
		refill(node, this.figure(colored.filter((mark) => this.isHere(mark)), size, colored));
		this.plot = node.querySelector('svg');
		return this.pointed.dim();
	}

	noteText() {
		const key = this.colorKey;
		if (!this.data?.keys.includes(key)) return super.noteText();
		return [super.noteText(), el('p', { class: 'muted' }, words.coloredBy(key))];
	}

	summary() {
		if (!this.data) return text.charts.loading;
		const keys = this.data.keys.join(', ');
		const groups = this.data.runs.filter(({ isGroup }) => isGroup).length;
		return groups ? panelsText.panels.groupsBy(groups, this.data.runs.length - groups, keys)
			: panelsText.panels.runsBy(this.data.runs.length, keys);
	}

	row(run) {
		const { id, name, slot, color, values, isGroup, numbers } = run;
		const swatch = el('i', { class: 'run-swatch', style: { background: paint({ slot, color }) } });
		const picked = { type: 'button', class: 'link', onclick: () => this.pick(id) };
		return el(
			'tr',
			{},
			el('th', { scope: 'row' }, swatch, this.page.pick && !isGroup ? el('button', picked, name) : name),
			values.map((value, at) =>
				el('td', { class: 'num', title: isGroup ? ofRuns(numbers[at]) : String(value ?? '') }, shownValue(value)),
			),
			this.signs.map(({ word, isOf }) => el('td', {}, isOf(run) && word)),
		);
	}

	/* Table of the panel's data, for saving as a file. */
	get rows() {
		const { keys, runs } = this.data;
		const { signs } = this;
		const rows = runs.map((run) => [run.name, run.id, ...run.values.map((value) => value ?? null),
			...signs.map(({ isOf }) => isOf(run))]);
		return { head: ['run', 'id', ...keys, ...signs.map(({ name }) => name)], rows };
	}

	/* The keyboard's way to what points and lines tell, and to picking a run. */
	tableNode() {
		const { keys = [], runs = [] } = this.data || {};
		const heads = [text.charts.columns[0], ...keys, ...this.signs.map(({ head }) => head)];
		return [
			el(
				'table',
				{ class: 'list' },
				el('caption', { class: 'sr' }, text.charts.tableOf(this.name)),
				el('thead', {}, el('tr', {}, heads.map((name) => el('th', { scope: 'col' }, name)))),
				el('tbody', {}, runs.slice(0, ROWS).map((run) => this.row(run))),
			),
			runs.length > ROWS && el('p', { class: 'muted' }, text.charts.moreRuns(runs.length - ROWS)),
		];
	}
}
