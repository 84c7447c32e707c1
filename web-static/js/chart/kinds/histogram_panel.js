/* Histograms over steps: a sheet a run, dark where most values are. */

import { el, replace } from '../../base/dom.js';
import { count, number } from '../../base/format.js';
import { text } from '../../text/chart.js';
import { text as panelsText } from '../../text/panels.js';
import { runValues } from '../data/run_values.js';
import { nothingOf, xWords } from '../panel/panel_words.js';
import { paintStrip, valueTone } from './heat_strip.js';
import { endOf, peakOf, ROWS, sheetOf, stripRows } from './histogram.js';
import { readHistograms } from './histogram_rows.js';
import { ValuePanel } from './value_panel.js';

const words = panelsText.panels;
const RUNS = 4;
const HIGH = 60; /* px of a run, at least */
const AGAIN_MS = 5000;

export class HistogramPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plotNode.classList.add('sheets');
		this.plotNode.addEventListener('mouseleave', () => { this.tip.hidden = true; });
	}

	/* All of them are read again. */
	get againMs() {
		return AGAIN_MS;
	}

	want() {
		const control = new AbortController();
		const stop = this.page.runs.length > RUNS
			? this.having((runs, having) => this.read(runs, having, control)) : this.read(this.page.runs, null, control);
		return () => {
			stop?.();
			control.abort();
		};
	}

	/* Passes on the first runs whose summaries have the histogram, at most RUNS; if none has it, the first runs. */
	having(then) {
		const { runs } = this.page;
		const fields = ['_type', 'values'].map((part) => `summary.${this.keys[0]}.${part}`);
		this.page.values ||= runValues(this.page.path);
		return this.page.values.want({ runs: runs.map(({ id }) => id), groups: [], fields }, ({ fault, values }) => {
			if (fault) return this.take(fault);
			const has = ({ id }) => fields.some((field) => (values[id]?.[field] ?? null) !== null);
			const found = runs.filter(has);
			return then((found.length ? found : runs).slice(0, RUNS), found.length);
		});
	}

	/* having: how many have it, where that was asked. */
	read(runs, having, control) {
		const zoom = this.look.x === '_step' ? this.look.zoom : null;
		const [key] = this.keys;
		Promise.all(
			runs.map((run) =>
				readHistograms(`${this.page.path}/runs/${encodeURIComponent(run.id)}`, key, {
					zoom,
					signal: control.signal,
				}),
			),
		).then(
			(read) =>
				control.signal.aborted
					|| this.take(read.find(({ fault }) => fault)?.fault, { ...this.sheetsOf(runs, read), having }),
		).catch((error) => control.signal.aborted || this.take({ status: 0, detail: error.message }));
	}

	sheetsOf(runs, read) {
		const sheets = runs
			.map((run, at) => ({ run, ...read[at], sheet: sheetOf(read[at].histograms || []) }))
			.filter(({ sheet }) => sheet);
		return { sheets, odd: read.reduce((sum, { odd = 0 }) => sum + odd, 0) };
	}

	/* Describes the place under the mouse in words. */
	point(event, { run, sheet }) {
		const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
		const { low, high, steps, columns, totals } = sheet;
		const step = steps[0] + (endOf(steps) - steps[0]) * (event.clientX - left) / width;
		const column = Math.max(0, steps.findLastIndex((one) => one <= step));
		const row = Math.max(0, Math.min(ROWS - 1, Math.floor((1 - (event.clientY - top) / height) * ROWS)));
		const edge = (at) => number(low + ((high - low) * at) / ROWS);
		this.showTip(
			el('div', { class: 'tip-head' }, `${run.name}, ${xWords('_step', steps[column])}`),
			words.binShare(
				edge(row),
				edge(row + 1),
				Math.round(columns[column][row] * 1000) / 10,
				count(totals[column]),
			),
		);
	}

	sheetNode(one) {
		const { run, sheet } = one;
		const { low, high, steps, most } = sheet;
		const wide = Math.min(steps.length === 1 ? 1 : 512, Math.max(1, this.plotNode.clientWidth));
		const canvas = el('canvas', { 'aria-hidden': 'true', onmousemove: (event) => this.point(event, one) });
		paintStrip(canvas, stripRows(sheet, wide), wide, valueTone(0, most, wide));
		return el(
			'figure',
			{},
			this.page.runs.length > 1 && el('figcaption', { class: 'clip' }, run.name),
			el('span', { class: 'y high' }, number(high)),
			el('span', { class: 'y low' }, number(low)),
			canvas,
			el('span', { class: 'x low' }, count(steps[0])),
			steps.length > 1 && el('span', { class: 'x high' }, count(steps.at(-1))), /* under the last column */
		);
	}

	/* Returns the sheets that there is room for. */
	get drawn() {
		const high = this.plotNode.clientHeight;
		return this.data.sheets.slice(0, high ? Math.max(1, Math.floor(high / HIGH)) : RUNS);
	}

	fill(node) {
		replace(node, this.drawn.map((one) => this.sheetNode(one)));
	}

	/* Not all that have it are drawn, or not all have it. */
	isSome() {
		return this.data.having !== null || this.drawn.length < this.data.sheets.length;
	}

	noteText() {
		if (!this.data) return null;
		const { sheets, odd, having } = this.data;
		const every = Math.max(1, ...sheets.map((one) => one.every));
		const said = [
			this.page.groups.length > 0 ? words.onlyRuns : !sheets.length && having !== 0 && nothingOf(this.page),
			this.isSome() && words.havingRuns(this.drawn.length, having ?? sheets.length, RUNS, this.page.runs.length),
			every > 1 && words.everyRow(every),
			odd > 0 && words.oddRows(odd),
		].filter(Boolean);
		return said.length > 0 && el('p', { class: 'muted' }, said.join(' '));
	}

	summary() {
		if (!this.data) return text.charts.loading;
		return this.data.sheets.map(({ run, sheet }) => {
			const last = sheet.steps.length - 1;
			const { from, to } = peakOf(sheet, last);
			return words.sheet(run.name, sheet.steps.length, number(from), number(to));
		}).join(' ') || nothingOf(this.page);
	}
}
