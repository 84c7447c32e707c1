/*
 * A box for each value of a key, or for each group of the list: how the numbers of all runs lie that the list's filter
 * finds, whether charts draw them or not; of a page without a list, those that it shows.
 */

import { el, refill, replace } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { rolesOf } from '../../list/model/group_roles.js';
import { text } from '../../text/chart.js';
import { text as panelsText } from '../../text/panels.js';
import { text as plotsText } from '../../text/plots.js';
import { listRuns, restOf } from '../data/list_runs.js';
import { placeIn } from '../panel/facets.js';
import { nothingOf } from '../panel/panel_words.js';
import { boxStyles } from './box_styles.js';
import { boxPlot, hiddenOf } from './box_plot.js';
import { boxTables } from './box_table.js';
import { boxesIn } from './boxes.js';
import { ValuePanel } from './value_panel.js';

const words = panelsText.panels;
const NONE = { boxes: [], without: 0, more: 0, count: 0 };
const whole = () => '';

export class BoxPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plot = null;
		this.plotNode.classList.add('run-plot');
		this.plotNode.addEventListener('click', ({ target }) => this.pick(target.closest('[data-run]')?.dataset.run));
	}

	get againMs() {
		return restOf(this.page);
	}

	/* Returns the keys by which runs are grouped into boxes. */
	get by() {
		return this.spec.by ? [this.spec.by] : this.page.scope?.group ?? [];
	}

	get isOfGroups() {
		return !this.spec.by && this.page.scope?.group.length > 0;
	}

	get isLog() {
		return this.look.y === 'log';
	}

	want() {
		const question = { key: this.keys[0], by: this.by };
		return listRuns(this.page, [question.key, ...question.by], (answer) => {
			if (answer.status === 200) this.take(undefined, this.found(answer.body, question));
			else this.take(answer);
		}, { isOfGroups: this.isOfGroups });
	}

	/* Returns the boxes of this panel. All copies of a panel that is split by facets share one axis. */
	placed(runs, by) {
		const { spec: { facet }, page: { groups } } = this;
		if (!facet) return { axis: null, ...boxesIn(runs, whole).get(whole()) ?? NONE };
		const own = (values) => Object.fromEntries(by.map((name, at) => [name, values[at]]));
		const found = boxesIn(runs, (values) => placeIn(facet, own(values)));
		const places = new Set(groups.map(({ of }) => placeIn(facet, of?.own ?? {})));
		const axis = [...found].flatMap(([place, { boxes }]) => places.has(place) ? boxes : []);
		return { axis, ...found.get(facet.of) ?? NONE };
	}

	/* Returns the data that is drawn and saved, with the question (`key`, `by`) that it answers. */
	found({ items, isCut }, { key, by }) {
		const runs = items.map(({ id, display_name: name, values: [value, ...of] }) => ({ id, name: name || id, value,
			by: of }));
		const { boxes, axis, ...rest } = this.placed(runs, by);
		const { scope, groups } = this.page;
		const looks = boxStyles(by, groups, { runs, roles: scope && !this.spec.by ? rolesOf(scope) : {} });
		const looked = boxes.map((box) => ({ ...box, ...looks(box.by) }));
		return { ...rest, key, by, axis: axis ?? looked, boxes: looked, runs: runs.length, isCut };
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
		const { without, more, count, runs, isCut, key, by, boxes } = this.data;
		const hidden = this.isLog ? hiddenOf(boxes) : 0;
		const said = [
			by.length > 0 && words.boxesBy(by.join(', '), this.isOfGroups && this.isPart),
			isCut && words.newestRuns(runs),
			without > 0 && words.without(without, count, key),
			hidden > 0 && words.noLogarithm(hidden),
			more > 0 && words.moreBoxes(more),
		].filter(Boolean);
		return said.length > 0 && el('p', { class: 'muted' }, said.join(' '));
	}

	summary() {
		if (!this.data) return text.charts.loading;
		return this.data.boxes.map(({ name, n, median, first, third }) =>
			plotsText.plots.boxSaid(name, n, ...[median, first, third].map(number))).join(' ') || nothingOf(this.page);
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
