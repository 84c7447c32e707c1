/* A bar a run for each field: what its summary or config has there. */

import { el, replace } from '../../base/dom.js';
import { focusRun, inFocus, onFocus } from '../../base/focus.js';
import { number } from '../../base/format.js';
import { paint } from '../../base/palette.js';
import { text } from '../../text/chart.js';
import { text as panelsText } from '../../text/panels.js';
import { isWithin } from '../panel/facets.js';
import { nothingOf } from '../panel/panel_words.js';
import { BARS_MOST, barScale, barsOf } from './bars.js';
import { ofRuns } from './run_plot_panel.js';
import { ValuePanel } from './value_panel.js';

const words = panelsText.panels;

const percent = (share) => `${(share * 100).toFixed(3)}%`;

export class BarPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plotNode.classList.add('bars');
		this.stops.push(onFocus(() => this.dim()));
	}

	dataOf(values, numbers) {
		const marks = this.marksOf(values, numbers);
		const here = marks.filter((mark) => isWithin(this.spec.facet, mark));
		const [groups, axes] = [here, marks].map((some) => barsOf(some, this.keys));
		return { groups, axes, count: here.length, all: groups.flatMap(({ bars }) => bars.map(({ value }) => value)) };
	}

	bar({ run, value, at }, scale) {
		const place = scale(value);
		const title = run.isGroup ? `${value} ${ofRuns(run.numbers[at])}` : String(value);
		return el(
			'li',
			{ 'data-run': run.id, onmouseenter: () => focusRun(run.id), onmouseleave: () => focusRun(null) },
			el('span', { class: 'clip', title: run.name }, run.name),
			el(
				'span',
				{ class: 'track' },
				place &&
					el('i', {
						style: {
							left: percent(place.from),
							width: percent(place.to - place.from),
							background: paint(run),
						},
					}),
			),
			el('span', { class: 'num', title }, number(value)),
		);
	}

	/* Fields are of different units, so each has a scale of its own. */
	group({ field, bars, missing }, at) {
		const { spec, look } = this;
		const scale = barScale(
			this.data.axes[at].bars.map(({ value }) => value),
			{ min: spec.min, max: spec.max, isLog: look.y === 'log' },
		);
		return [
			this.keys.length > 1 && el('h4', { class: 'clip' }, field),
			el(
				'ul',
				{},
				bars.slice(0, BARS_MOST).map((one) => this.bar(one, scale)),
			),
			bars.length > BARS_MOST && el('p', { class: 'muted' }, text.charts.moreRuns(bars.length - BARS_MOST)),
			missing > 0 && el('p', { class: 'muted' }, words.without(missing, this.data.count, field))];
	}

	dim() {
		const focused = inFocus();
		for (const bar of this.plotNode.querySelectorAll('[data-run]'))
			bar.classList.toggle('dim', Boolean(focused) && bar.dataset.run !== focused);
	}

	fill(node) {
		replace(node, this.data.groups.map((group, at) => this.group(group, at)));
		this.dim();
	}

	summary() {
		if (!this.data) return text.charts.loading;
		const { all } = this.data;
		return all.length
			? words.barSummary(all.length, number(Math.min(...all)), number(Math.max(...all)))
			: nothingOf(this.page);
	}
}
