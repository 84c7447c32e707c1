/*
 * A box for each value of a key, or for each group of the list: how the numbers of all runs lie that the list's filter
 * finds, whether charts draw them or not; of a page without a list, those that it shows.
 */

import { askAll } from '../api.js';
import { el, refill, replace } from '../dom.js';
import { number } from '../format.js';
import { idFilter, queryOf } from '../runs/run_query.js';
import { slotOf } from '../runs/slot.js';
import { text } from '../text.js';
import { boxPlot } from './box_plot.js';
import { boxesOf } from './boxes.js';
import { shownValue } from './run_plot_panel.js';
import { ValuePanel } from './value_panel.js';

const words = text.panels;
const RUNS = 10000;
const AGAIN_MS = 5000;
const STATISTICS = ['n', 'least', 'first', 'median', 'third', 'most', 'mean'];

/* As groups are called, with which they share their colours. */
const namesOf = (by) => by.map((value) => shownValue(value ?? undefined));

export class BoxPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plot = null;
		this.plotNode.classList.add('run-plot');
		this.plotNode.addEventListener('click', ({ target }) => this.pick(target.closest('[data-run]')?.dataset.run));
	}

	/* All of them are read anew. */
	get againMs() {
		return AGAIN_MS;
	}

	/* What runs are put together by. */
	get by() {
		return this.spec.by ? [this.spec.by] : this.page.scope?.group ?? [];
	}

	want() {
		const ends = new AbortController();
		const { page, by, keys: [key] } = this;
		const filter = page.scope ? page.scope.filter : idFilter(page.runs.map(({ id }) => id));
		const query = queryOf({ filter, order: '-created_at', keys: [key, ...by].join(',') });
		askAll(`${page.path}/runs?${query}`, { most: RUNS, signal: ends.signal }).then((answer) => {
			if (ends.signal.aborted) return;
			if (answer.status === 200) this.take(undefined, this.found(answer.body));
			else this.take(answer);
		});
		return () => ends.abort();
	}

	found({ items, isCut }) {
		const runs = items.map(({ id, display_name: name, values: [value, ...by] }) => ({ id, name: name || id, value, by }));
		const { boxes, ...rest } = boxesOf(runs);
		const groups = new Map(this.page.groups.map((group) => [group.name, group]));
		const looks = (name) => groups.get(name) || { slot: slotOf({ id: `~${name}` }), color: null };
		const named = boxes.map((box) => {
			const names = box.by.length ? namesOf(box.by) : [words.allRuns];
			const name = names.join(', ');
			return { ...looks(name), ...box, name, names };
		});
		return { ...rest, boxes: named, runs: runs.length, isCut };
	}

	pick(id) {
		if (id) this.page.pick?.(id);
	}

	fill(node) {
		const { boxes } = this.data;
		this.plot = null;
		if (!boxes.length) return replace(node, el('p', { class: 'muted' }, words.noNumbers(this.keys[0])));
		const size = { width: Math.max(200, node.clientWidth - 8), height: Math.max(140, node.clientHeight - 4) };
		refill(node, boxPlot({ boxes, y: { name: this.keys[0], isLog: this.look.y === 'log' }, ...size }));
		this.plot = node.querySelector('svg');
		return this.plot;
	}

	noteText() {
		if (!this.data) return null;
		const { without, more, runs, isCut } = this.data;
		const said = [
			this.by.length > 0 && words.boxesBy(this.by.join(', ')),
			isCut && words.newestRuns(runs),
			without > 0 && words.without(without, runs, this.keys[0]),
			more > 0 && words.moreBoxes(more),
		].filter(Boolean);
		return said.length > 0 && el('p', { class: 'muted' }, said.join(' '));
	}

	summary() {
		if (!this.data) return text.charts.loading;
		return this.data.boxes.map(({ name, n, median, first, third }) =>
			text.plots.boxSaid(name, n, ...[median, first, third].map(number))).join(' ') || text.charts.nothing;
	}

	tableNode() {
		const { boxes = [] } = this.data || {};
		const head = [words.group, ...words.statistics];
		return el('table', { class: 'list' },
			el('caption', { class: 'sr' }, text.charts.tableOf(this.name)),
			el('thead', {}, el('tr', {}, head.map((name) => el('th', { scope: 'col' }, name)))),
			el('tbody', {}, boxes.map((box) => el('tr', {}, el('th', { scope: 'row' }, box.name),
				STATISTICS.map((name) => el('td', { class: 'num', title: String(box[name]) }, number(box[name])))))));
	}

	/* As RUN_SAVES have it: each run with what it has, by its box. */
	get rows() {
		const { boxes } = this.data;
		return {
			head: ['run', 'id', ...this.by, this.keys[0]],
			rows: boxes.flatMap(({ by, points }) => points.map(({ id, name, value }) => [name, id, ...by, value])),
		};
	}
}
