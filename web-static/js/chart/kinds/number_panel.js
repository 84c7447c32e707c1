/* The last value of keys, large of one run; of several a line each. */

import { el, replace } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { text } from '../../text/chart.js';
import { text as panelsText } from '../../text/panels.js';
import { strokeOf } from '../../ui/run_swatch.js';
import { nothingOf, xWords } from '../panel/panel_words.js';
import { ValuePanel } from './value_panel.js';

const SHOWN = 50;

/* A value that a bucket of all rows has last, NaN and the infinities too; of a group the mean of its runs. */
function valueOf(piece) {
	const { columns } = piece;
	const at = columns.at.length - 1;
	if (at < 0) return null;
	return { value: (columns.last || columns.mean)[at], x: columns.x_last[at] };
}

export class NumberPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plotNode.classList.add('numbers');
	}

	want() {
		const { page, keys } = this;
		const question = { runs: page.runs.map((run) => run.id), groups: [], panel: { keys, x: '_step', buckets: 1 } };
		return page.cache.want(question, ({ answer, fault, isOld }) => this.take(fault || answer.faults[0],
			answer?.panel && { values: this.valuesOf(answer.series) }, { isOld }));
	}

	valuesOf(series) {
		return this.keys.flatMap((key) => this.page.runs.map((run) => {
			const piece = series.find((one) => one.run === run.id && one.key === key);
			return { key, run, ...(piece && valueOf(piece)) };
		})).filter(({ value }) => value !== undefined);
	}

	/* Returns the part of a name that the panel's name or the page's only run does not already show. */
	nameOf({ key, run }) {
		return [this.page.runs.length > 1 && run.name, this.keys.length > 1 && key].filter(Boolean).join(' ');
	}

	noteText() {
		return this.page.groups.length > 0 && el('p', { class: 'muted' }, panelsText.panels.onlyRuns);
	}

	fill(node) {
		const { values } = this.data;
		const row = (one) =>
			el(
				'li',
				{},
				this.page.runs.length > 1 && strokeOf(one.run),
				el('span', { class: 'clip' }, this.nameOf(one)),
				el('b', { title: xWords('_step', one.x) }, number(one.value)),
			);
		replace(
			node,
			el('ul', { class: values.length === 1 ? 'one' : '' }, values.slice(0, SHOWN).map(row)),
			values.length > SHOWN && el('p', { class: 'muted' }, text.charts.moreRuns(values.length - SHOWN)),
			!values.length && el('p', { class: 'muted' }, nothingOf(this.page)));
	}

	summary() {
		if (!this.data) return text.charts.loading;
		return (
			this.data.values
				.slice(0, 10)
				.map((one) => `${this.nameOf(one)} ${number(one.value)}`.trim())
				.join(', ') || nothingOf(this.page)
		);
	}
}
