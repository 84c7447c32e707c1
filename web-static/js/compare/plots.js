/*
 * Beside the table: lines of the metrics, points by any two keys, or runs across several keys. Hovering marks a run
 * everywhere.
 */

import { panelGrid } from '../chart/panel_grid.js';
import { parallelPlot } from '../chart/parallel.js';
import { runFocus } from '../chart/run_focus.js';
import { scatterPlot } from '../chart/scatter.js';
import { el, replace } from '../dom.js';
import { iconButton, setToggle, toggle } from '../parts/controls.js';
import { segmented, setSegment } from '../parts/segmented.js';
import { keyField } from '../run/key_field.js';
import { nameOf, slotOf } from '../runs/slot.js';
import { text } from '../text.js';
import { isNumber } from './model.js';
import { AXES } from './view.js';
import { keysText } from './keys_text.js';

const words = text.plots;
const HEIGHT = 420;
const FIRST_AXES = 5;
const AXIS_PX = 110; /* between two axes at least */

function looksOf(run) {
	return { id: run.id, name: nameOf(run), slot: slotOf(run), color: run.color };
}

/*
 * Keys of config and summary by the names of the filter, with values in two runs at least; those that differ come
 * first.
 */
function choices(sections) {
	const documents = sections.filter(({ id }) => id === 'config' || id === 'summary');
	const rows = documents.flatMap(({ id, rows: all }) => all.map((row) => ({ ...row, name: `${id}.${row.key}` })));
	const there = rows.filter(({ values }) =>
		values.filter((value) => value !== undefined && typeof value !== 'object').length > 1);
	return [...there.filter((row) => !row.isEqual), ...there.filter((row) => row.isEqual)];
}

function isNumeric({ values }) {
	return values.some(isNumber);
}

export function comparePlots(address, { set }) {
	const place = el('div', { class: 'scroll plot-place', tabindex: 0, role: 'region', 'aria-label': words.label,
		'data-scroll': 'plots' });
	const tools = el('div', { class: 'plot-tools' });
	const kinds = segmented(words.label, words.kinds, 'lines', (plot) => set({ plot: plot === 'lines' ? null : plot }));
	const drawn = el('div', { class: 'plots-drawn' }, tools, place);
	const node = el('div', { class: 'compare-plots' }, el('div', { class: 'plot-kinds' }, kinds));
	const sizes = new ResizeObserver(() => draw());
	const focus = runFocus(place);
	let grid = null;
	let now = null;
	let toolsOf = '';

	function scatterKeys(all) {
		const find = (name) => all.find((row) => row.name === name);
		const { x, y } = now.view.scatter;
		return { x: find(x) || all.find((row) => row.name.startsWith('config.') && isNumeric(row)) || all[0],
			y: find(y) || all.find((row) => row.name.startsWith('summary.') && isNumeric(row)) || all[0] };
	}

	function logToggle(letter, isOn) {
		return toggle(words.log(letter), isOn, (on) => {
			const { isLogX, isLogY } = now.view.scatter;
			const letters = { x: isLogX, y: isLogY, [letter]: on };
			set({ slog: `${letters.x ? 'x' : ''}${letters.y ? 'y' : ''}` || null });
		}, { 'data-log': letter });
	}

	function labelled(name, control) {
		return el('span', { class: 'plot-choice' }, el('span', { class: 'muted', 'aria-hidden': 'true' }, name), control);
	}

	/*
	 * What somebody chooses in stays, as long as there is the same to choose of; else the focus goes to what stands there
	 * now.
	 */
	function drawTools(essence, make) {
		if (toolsOf === essence) return;
		const controls = () => [...tools.querySelectorAll('input, button')];
		const held = controls().indexOf(document.activeElement);
		toolsOf = essence;
		replace(tools, make());
		if (held >= 0) controls()[Math.min(held, controls().length - 1)]?.focus();
	}

	function drawScatter(all, width) {
		const { x, y } = scatterKeys(all);
		const { isLogX, isLogY } = now.view.scatter;
		const names = all.map(({ name }) => name);
		drawTools(JSON.stringify(['scatter', x.name, y.name, names]), () => [
			labelled(words.across, keyField(names, x.name, (name) => set({ sx: name }), words.across)), logToggle('x', isLogX),
			labelled(words.up, keyField(names, y.name, (name) => set({ sy: name }), words.up)), logToggle('y', isLogY)]);
		for (const [letter, on] of [['x', isLogX], ['y', isLogY]]) setToggle(tools.querySelector(`[data-log=${letter}]`), on);
		const points = now.runs.map((run, at) => ({ ...looksOf(run), x: x.values[at], y: y.values[at] }));
		replace(place, scatterPlot({ points, x: { name: x.name, isLog: isLogX }, y: { name: y.name, isLog: isLogY },
			width, height: HEIGHT }));
	}

	function axesOf(all) {
		const chosen = now.view.axes.map((name) => all.find((row) => row.name === name)).filter(Boolean);
		if (chosen.length) return chosen;
		const differ = all.filter((row) => !row.isEqual);
		const [configs, metrics] = ['config.', 'summary.'].map((start) =>
			differ.filter(({ name }) => name.startsWith(start) && !name.startsWith('summary._')));
		return [...configs.slice(0, FIRST_AXES - Math.min(metrics.length, 2)), ...metrics.slice(0, 2)];
	}

	function setAxes(axes) {
		set({ axes: keysText(axes) });
	}

	function drawParallel(all, width) {
		const axes = axesOf(all);
		const names = axes.map(({ name }) => name);
		const left = all.map(({ name }) => name).filter((name) => !names.includes(name));
		drawTools(JSON.stringify(['parallel', names, left]), () => [el('span', { class: 'muted' }, words.axes),
			names.map((name) => el('span', { class: 'chip' }, el('bdi', { class: 'clip' }, name),
				iconButton('close', words.removeAxis(name), { class: 'ibtn small', disabled: names.length < 3,
					onclick: () => setAxes(names.filter((one) => one !== name)) }))),
			names.length < AXES && left.length > 0 && keyField(left, '', (name) => setAxes([...names, name]), words.addAxis)]);
		const lines = now.runs.map((run, at) => ({ ...looksOf(run), values: axes.map(({ values }) => values[at]) }));
		replace(place, parallelPlot({ axes: axes.map(({ name }) => ({ name })), lines,
			width: Math.max(width, names.length * AXIS_PX), height: HEIGHT }));
	}

	function draw() {
		if (!now || now.view.plot === 'lines' || !drawn.isConnected) return;
		const all = choices(now.sections);
		const width = Math.max(300, place.clientWidth - 24);
		if (!all.length) {
			drawTools('', () => []);
			replace(place, el('p', { class: 'empty muted' }, words.nothing));
		} else if (now.view.plot === 'scatter') {
			drawScatter(all, width);
		} else {
			drawParallel(all, width);
		}
		focus.dim();
	}

	function showLines() {
		const keys = [...now.view.pins.filter((key) => now.keys.includes(key)), ...(now.view.pins.length ? [] : now.keys)];
		const runs = now.runs.map((run, at) => ({ ...looksOf(run), isBase: at === 0 && now.runs.length > 1 }));
		if (grid) return grid.update({ runs, groups: now.lines, keys });
		grid = panelGrid({ ...address, runs, groups: now.lines, keys, hasLegend: true });
		drawn.remove();
		return node.append(grid.node);
	}

	function hideLines() {
		grid?.node.remove();
		grid?.stop();
		grid = null;
		if (!drawn.isConnected) node.append(drawn);
	}

	sizes.observe(place);
	return {
		node,
		/* {runs, lines, sections, keys, view}; lines: of groups. */
		update(next) {
			now = next;
			setSegment(kinds, now.view.plot);
			if (now.view.plot === 'lines') return showLines();
			hideLines();
			return draw();
		},
		rowsCame: (id) => grid?.rowsCame(id, 0),
		stop() {
			sizes.disconnect();
			focus.stop();
			grid?.stop();
		},
	};
}
