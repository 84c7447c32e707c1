/*
 * Beside the table: lines of the metrics, points by any two keys, or runs across several keys, and plots of all runs
 * of the project (all_plots.js). Hovering marks a run everywhere.
 */

import { el, replace } from '../base/dom.js';
import { styleOfRun } from '../base/slot.js';
import { parallelPlot } from '../chart/kinds/parallel.js';
import { chosenFor } from '../chart/kinds/pareto.js';
import { coloredBy } from '../chart/kinds/run_colors.js';
import { runFocus } from '../chart/kinds/run_focus.js';
import { frontIn, scatterPlot } from '../chart/kinds/scatter.js';
import { text } from '../text/chart.js';
import { text as plotsText } from '../text/plots.js';
import { toggle } from '../ui/controls.js';
import { keyField } from '../ui/key_field.js';
import { lazyModule } from '../ui/lazy_module.js';
import { segmented, setSegment } from '../ui/segmented.js';
import { linePlots } from './line_plots.js';
import { isNumber } from './model/model.js';
import { axisChips, betterChoice, isLogAxis, labelled, logToggle, parallelLogToggle, plotTools } from './plot_tools.js';

const words = plotsText.plots;
const late = lazyModule(() => import('./all_plots.js'));
const HEIGHT = 420;
const FIRST_AXES = 5;
const AXIS_PX = 110; /* between two axes at least */

/*
 * Keys of config and summary by the names of the filter, with values in two runs at least; those that differ come
 * first.
 */
function choices(sections) {
	const documents = ['summary', 'config'].map((wanted) => sections.find(({ id }) => id === wanted)).filter(Boolean);
	const rows = documents.flatMap(({ id, rows: all }) => all.map((row) => ({ ...row, name: `${id}.${row.key}` })));
	const there = rows.filter(({ values }) =>
		values.filter((value) => value !== undefined && typeof value !== 'object').length > 1);
	return [...there.filter((row) => !row.isEqual), ...there.filter((row) => row.isEqual)];
}

function isNumeric({ values }) {
	return values.some(isNumber);
}

/* set(changes of the address), pick(run). */
export function comparePlots(address, { set, pick }) {
	const place = el('div', { class: 'scroll plot-place', tabindex: 0, role: 'region', 'aria-label': words.label,
		'data-scroll': 'plots' });
	const tools = plotTools();
	const kinds = segmented(words.label, words.kinds, 'lines', (plot) => set({ plot: plot === 'lines' ? null : plot }));
	const drawn = el('div', { class: 'plots-drawn' }, tools.node, place);
	const node = el('div', { class: 'compare-plots' }, el('div', { class: 'plot-kinds' }, kinds));
	const sizes = new ResizeObserver(() => draw());
	const focus = runFocus(place);
	const lines = linePlots(address, node);
	let isStopped = false;
	let now = null;
	let ofAll = null;

	/* Returns the scatter's keys. Defaults: a number of the config, and one of the summary that the program sent. */
	function scatterKeys(all) {
		const find = (name) => all.find((row) => row.name === name);
		const first = (start) => all.find((row) => start.test(row.name) && isNumeric(row));
		const { x, y } = now.view.scatter;
		return { x: find(x) || first(/^config\./) || all[0], y: find(y) || first(/^summary\.[^_]/) || first(/^summary\./) || all[0] };
	}

	/* For the size keys with numbers are offered, for the colour all; an empty field is no key. */
	function scatterTools(all, { x, y }) {
		const { scatter } = now.view;
		const numbers = all.filter(isNumeric).map(({ name }) => name);
		const names = [...new Set([...numbers, ...all.map(({ name }) => name)])];
		const sizes = ['', ...numbers];
		const essence = ['scatter', [x, y].map(({ name, direction }) => [name, direction]), scatter, names];
		tools.draw(JSON.stringify(essence), () => [
			labelled(words.across, keyField(names, x.name, (name) => set({ sx: name }), words.across)),
			logToggle('x', scatter, set),
			labelled(words.up, keyField(names, y.name, (name) => set({ sy: name }), words.up)),
			logToggle('y', scatter, set),
			labelled(words.size, keyField(sizes, scatter.size ?? '', (name) => set({ size: name || null }), words.size)),
			labelled(text.panels.color, keyField(['', ...names], scatter.color ?? '', (name) => set({ color: name || null }),
				text.panels.color)),
			toggle(words.pareto, scatter.hasFront, (on) => set({ front: on ? 'on' : null })),
			scatter.hasFront && [betterChoice('x', x, scatter, set), betterChoice('y', y, scatter, set)]]);
	}

	function drawScatter(all, width) {
		const rows = scatterKeys(all);
		const { scatter } = now.view;
		const size = all.find(({ name }) => name === scatter.size);
		scatterTools(all, rows);
		const color = all.find(({ name }) => name === scatter.color);
		const points = coloredBy(now.runs.map((run, at) => ({ ...styleOfRun(run), x: rows.x.values[at], y: rows.y.values[at],
			size: size?.values[at], values: [color?.values[at]] })), color ? 0 : -1);
		const axisOf = ({ name, direction }, isLog) => ({ name, isLog, better: chosenFor(scatter, name) ?? direction });
		const axes = { x: axisOf(rows.x, scatter.isLogX), y: axisOf(rows.y, scatter.isLogY) };
		replace(place, scatterPlot({ points, ...axes, size, front: scatter.hasFront ? frontIn(points, axes) : undefined,
			width, height: HEIGHT }), color && el('p', { class: 'muted' }, text.panels.coloredBy(color.name)));
	}

	function axesOf(all) {
		const chosen = now.view.axes.map((name) => all.find((row) => row.name === name)).filter(Boolean);
		if (chosen.length) return chosen;
		const differ = all.filter((row) => !row.isEqual);
		const [configs, metrics] = ['config.', 'summary.'].map((start) =>
			differ.filter(({ name }) => name.startsWith(start) && !name.startsWith('summary._')));
		return [...configs.slice(0, FIRST_AXES - Math.min(metrics.length, 2)), ...metrics.slice(0, 2)];
	}

	function drawParallel(all, width) {
		const axes = axesOf(all);
		const names = axes.map(({ name }) => name);
		const left = all.map(({ name }) => name).filter((name) => !names.includes(name));
		const { scatter } = now.view;
		const logs = axes.map(({ values }) => isLogAxis(scatter, values));
		tools.draw(JSON.stringify(['parallel', names, left, logs, scatter]), () => [axisChips(names, left, set),
			parallelLogToggle(axes.map(({ values }) => values), scatter, set),
			toggle(words.allRuns, false, (on) => set({ all: on ? 'on' : null }))]);
		const lines = now.runs.map((run, at) => ({ ...styleOfRun(run), values: axes.map(({ values }) => values[at]) }));
		replace(place, parallelPlot({ axes: names.map((name, at) => ({ name, isLog: logs[at] })), lines,
			width: Math.max(width, names.length * AXIS_PX), height: HEIGHT }));
	}

	function draw() {
		if (!now || !drawn.isConnected) return;
		const all = choices(now.sections);
		const width = Math.max(300, place.clientWidth - 24);
		if (!all.length) {
			tools.draw('', () => []);
			replace(place, el('p', { class: 'empty muted' }, words.nothing));
		} else if (now.view.plot === 'scatter') {
			drawScatter(all, width);
		} else {
			drawParallel(all, width);
		}
		focus.dim();
	}

	function showAll() {
		const part = late.there(show);
		if (!part) return;
		if (!ofAll) node.append((ofAll = part.allPlots(address, { set, pick })).node);
		const all = choices(now.sections);
		ofAll.update({ ...now, runs: now.runs.map(styleOfRun), choices: all, axes: axesOf(all).map(({ name }) => name) });
	}

	function hideAll() {
		ofAll?.node.remove();
		ofAll?.stop();
		ofAll = null;
	}

	/* The plot that is chosen stands there alone. */
	function show() {
		if (!now || isStopped) return;
		const plot = now.view.isOfAll ? 'all' : now.view.plot === 'lines' ? 'lines' : 'drawn';
		if (plot !== 'lines') lines.hide();
		if (plot !== 'all') hideAll();
		if (plot !== 'drawn') drawn.remove();
		else if (drawn.parentNode !== node) node.append(drawn);
		({ all: showAll, lines: () => lines.show(now), drawn: draw })[plot]();
	}

	sizes.observe(place);
	return {
		node,
		/* {runs, lines, sections, keys, kinds, view}; lines: of groups. */
		update(next) {
			now = next;
			setSegment(kinds, now.view.plot);
			show();
		},
		rowsCame: lines.rowsCame,
		stop() {
			isStopped = true;
			hideAll();
			sizes.disconnect();
			focus.stop();
			lines.stop();
		},
	};
}
