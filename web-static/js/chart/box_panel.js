/*
 * A box for each value of a key, or for each group of the list: how the numbers of all runs lie that the list's filter
 * finds, whether charts draw them or not; of a page without a list, those that it shows.
 */

import { askAll } from '../api.js';
import { el, refill, replace } from '../dom.js';
import { queryOf } from '../runs/query_text.js';
import { rolesOf } from '../runs/roles.js';
import { idFilter } from '../runs/run_query.js';
import { number } from '../format.js';
import { text } from '../text.js';
import { boxLooks } from './box_looks.js';
import { boxPlot, hiddenOf } from './box_plot.js';
import { boxTables } from './box_table.js';
import { boxesOf } from './boxes.js';
import { isWithin } from './facets.js';
import { ValuePanel } from './value_panel.js';

const words = text.panels;
const RUNS = 10000;
const AGAIN_MS = 5000;
const PAUSE = 4; /* times what the answer took */

export class BoxPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plot = null;
		this.took = 0;
		this.plotNode.classList.add('run-plot');
		this.plotNode.addEventListener('click', ({ target }) => this.pick(target.closest('[data-run]')?.dataset.run));
	}

	/* All of them are read anew. */
	get againMs() {
		return Math.max(AGAIN_MS, PAUSE * this.took);
	}

	/* What runs are put together by. */
	get by() {
		return this.spec.by ? [this.spec.by] : this.page.scope?.group ?? [];
	}

	get isLog() {
		return this.look.y === 'log';
	}

	/* Of a list that has not said yet which runs it has nothing is asked; it says so by update. */
	want() {
		const { page, by, keys: [key] } = this;
		const ends = new AbortController();
		if (page.scope === null) return () => {};
		if (!page.scope && !page.runs.length) this.take(undefined, this.found({ items: [], isCut: false }, { key, by }));
		else this.read({ key, by }, ends.signal);
		return () => ends.abort();
	}

	async read(question, signal) {
		const { page } = this;
		const began = performance.now();
		const filter = page.scope ? page.scope.filter : idFilter(page.runs.map(({ id }) => id));
		const query = queryOf({ filter, order: '-created_at', keys: [question.key, ...question.by].join(',') });
		const answer = await askAll(`${page.path}/runs?${query}`, { most: RUNS, signal });
		if (signal.aborted) return;
		this.took = performance.now() - began;
		if (answer.status === 200) this.take(undefined, this.found(answer.body, question));
		else this.take(answer);
	}

	/* What is drawn and saved is told with the question that it answers. */
	found({ items, isCut }, { key, by }) {
		const runs = items.map(({ id, display_name: name, values: [value, ...of] }) => ({ id, name: name || id, value,
			by: of }));
		const { boxes, ...rest } = boxesOf(runs);
		const { scope, groups } = this.page;
		const looks = boxLooks(by, groups, { runs, roles: scope && !this.spec.by ? rolesOf(scope) : {} });
		const axis = boxes.map((box) => ({ ...box, ...looks(box.by) }));
		const own = (box) => Object.fromEntries(by.map((name, at) => [name, box.by[at]]));
		const here = axis.filter((box) => isWithin(this.spec.facet, { isGroup: true, of: { own: own(box) } }));
		return { ...rest, key, by, axis, boxes: here, runs: runs.length, isCut };
	}

	pick(id) {
		if (id) this.page.pick?.(id);
	}

	fill(node) {
		const { axis, boxes, key } = this.data;
		this.plot = null;
		if (!boxes.length) return replace(node, el('p', { class: 'muted' }, words.noNumbers(key)));
		const size = { width: Math.max(200, node.clientWidth - 8), height: Math.max(140, node.clientHeight - 4) };
		refill(node, boxPlot({ boxes, axis, y: { name: key, isLog: this.isLog }, ...size }));
		this.plot = node.querySelector('svg');
		return this.plot;
	}

	noteText() {
		if (!this.data) return null;
		const { without, more, runs, isCut, key, by, boxes } = this.data;
		const hidden = this.isLog ? hiddenOf(boxes) : 0;
		const said = [
			by.length > 0 && words.boxesBy(by.join(', ')),
			isCut && words.newestRuns(runs),
			without > 0 && words.without(without, runs, key),
			hidden > 0 && words.noLogarithm(hidden),
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
		return boxTables(this.data?.boxes ?? [], { name: this.name, pick: this.page.pick && ((id) => this.pick(id)) });
	}

	/* As RUN_SAVES have it: each run with what it has, by its box. */
	get rows() {
		const { boxes, key, by: keys } = this.data;
		return {
			head: ['run', 'id', ...keys, key],
			rows: boxes.flatMap(({ by, points }) => points.map(({ id, name, value }) => [name, id, ...by, value])),
		};
	}
}
