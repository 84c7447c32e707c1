/*
 * Plots of all runs of the project that `q` of the address finds, not of those alone that are compared: boxes, what
 * goes with a metric, and runs across axes, by the panels of the workspace.
 */

import { apiPath } from '../address.js';
import { el, replace } from '../base/dom.js';
import { BoxPanel } from '../chart/kinds/box_panel.js';
import { CorrelationPanel } from '../chart/kinds/correlation_panel.js';
import { lookOf } from '../chart/panel/look.js';
import { categoriesFirst, numbersFirst } from '../list/model/key_order.js';
import { isGroupKey, knownKeys } from '../list/model/known_keys.js';
import { narrow } from '../list/narrow.js';
import { follow } from '../live.js';
import { text } from '../text/plots.js';
import { field, toggle } from '../ui/controls.js';
import { keyField } from '../ui/key_field.js';
import { AllParallelPanel } from './all_parallel.js';
import { isNumber } from './model/model.js';
import { axisChips, labelled, logToggle, parallelLogToggle, plotTools } from './plot_tools.js';

const words = text.plots;
const HEARD = ['run', 'gone', 'again'];

/* Returns the chosen metric, or the first pinned one, or the first that differs. */
function metricOf({ view, choices }, numbers) {
	const found = choices.filter(({ name, values }) => /^summary\.[^_]/.test(name) && values.some(isNumber));
	const pinned = found.find(({ key }) => view.pins.includes(key));
	return view.metric || (pinned ?? found[0])?.name || numbers.find((name) => /^summary\.[^_]/.test(name));
}

/* {Panel, specOf(now, known), tools(spec, known, choose)} of a plot; no spec, nothing is drawn. */
const PLOTS = {
	box: {
		Panel: BoxPanel,
		specOf: (now, { numbers }) => ({ keys: [metricOf(now, numbers)], by: now.view.by || undefined }),
		tools: ({ keys: [metric], by = '' }, { numbers, groups }, { set, logY }) => [
			labelled(words.metric, keyField(numbers, metric, (key) => set({ metric: key }), words.metric)),
			labelled(words.by, keyField(['', ...groups], by, (key) => set({ by: key || null }), words.by)), logY()],
	},
	correlation: {
		Panel: CorrelationPanel,
		specOf: (now, { numbers }) => ({ keys: [metricOf(now, numbers)], metrics: now.view.isWithMetrics || undefined }),
		tools: ({ keys: [metric], metrics }, { numbers }, { set }) => [
			labelled(words.metric, keyField(numbers, metric, (key) => set({ metric: key }), words.metric)),
			toggle(text.correlation.metrics, Boolean(metrics), (on) => set({ metrics: on ? 'on' : null }))],
	},
	parallel: {
		Panel: AllParallelPanel,
		specOf: ({ view, axes }) => ({ keys: view.axes.length ? view.axes : axes, y: view.scatter.isLinear ? 'linear' : undefined }),
		tools: ({ keys }, { all }, { set, now: { choices, view } }) => [
			axisChips(keys, all.filter((key) => !keys.includes(key)), set),
			parallelLogToggle(choices.filter(({ name }) => keys.includes(name)).map(({ values }) => values), view.scatter, set),
			toggle(words.allRuns, true, (on) => set({ all: on ? 'on' : null }))],
	},
};

/* set(changes of the address), pick(run). Gives {node, update({runs, view, choices, axes}), stop}. */
export function allPlots({ entity, project }, { set, pick }) {
	const known = knownKeys({ entity, project });
	const page = { entity, project, path: apiPath(entity, project), look: lookOf(new URLSearchParams()), runs: [],
		groups: [], scope: { filter: '', group: [] }, filter: narrow, pick };
	const tools = plotTools();
	const filter = field('filter', words.filter, { look: 'plot-filter', onchange: ({ target }) =>
		set({ q: target.value.trim() || null }) });
	const place = el('div', { class: 'full-place' });
	const node = el('div', { class: 'plots-drawn' }, el('div', { class: 'plot-runs' }, filter), tools.node, place);
	const unfollow = follow({ entity, project }, ({ type }) => HEARD.includes(type) && panel?.rowsCame());
	let panel = null;
	let now = null;
	let keys = { all: [], numbers: [], groups: [] };

	async function learn() {
		await known.learn();
		const all = known.keys();
		keys = { all: numbersFirst(all, known.isNumber), numbers: numbersFirst(all.filter(known.isNumber), known.isNumber),
			groups: categoriesFirst(all.filter(isGroupKey), known.isNumber) };
		if (now) update(now);
	}

	function drop() {
		panel?.stop();
		panel = null;
	}

	function show(plot, spec) {
		if (!(panel instanceof plot.Panel)) {
			drop();
			panel = new plot.Panel(spec, page, { isFull: true });
			replace(place, panel.node);
			return panel.show();
		}
		return JSON.stringify(spec) === JSON.stringify(panel.spec) ? panel.redraw() : panel.become(spec);
	}

	/* Returns whether the panel has to ask again. */
	function put({ runs, view }) {
		const isOther = view.filter !== page.scope.filter;
		Object.assign(page, { runs, scope: { filter: view.filter, group: [] },
			look: { ...page.look, y: view.scatter.isLogY ? 'log' : 'linear' } });
		if (document.activeElement !== filter.control) filter.control.value = view.filter;
		return isOther;
	}

	function update(next) {
		now = next;
		const { view } = now;
		const isOther = put(now);
		const plot = PLOTS[view.plot];
		const spec = { id: view.plot, kind: view.plot, ...plot.specOf(now, keys) };
		if (!spec.keys.every(Boolean)) return;
		const logY = () => logToggle('y', view.scatter, set);
		tools.draw(JSON.stringify([spec, view.scatter, keys]), () => plot.tools(spec, keys, { set, logY, now }));
		const before = panel;
		show(plot, spec);
		if (isOther && before === panel) panel.ask();
	}

	learn();
	return {
		node,
		update,
		stop() {
			unfollow();
			drop();
		},
	};
}
