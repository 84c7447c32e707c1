/* Axes with a grid, and points of trials on them, as SVG: its colours are those of the theme. */

import { svg } from '../base/dom.js';
import { scaleOf, spansDecades } from '../chart/data/scale.js';

const [LEFT, RIGHT, TOP, BOTTOM] = [62, 16, 26, 42];
const X_TICK_PX = 70;
const Y_TICK_PX = 36;
const LETTER_PX = 7.5;
const RADIUS = 4.5;

const cut = (text, room) => text.length * LETTER_PX > room ? `${text.slice(0, Math.max(1, Math.floor(room / LETTER_PX) - 1))}…` : text;

export const scaleFor = (values, most) => scaleOf(values, { isLog: spansDecades(values), most });

/*
 * x, y: {name, scale}, scales as of scaleOf(). {along, up: from 0 to 1 on an axis to pixels, box: {left, right, top, bottom}, nodes}. With
 * `hasGrid` ticks are lines.
 */
export function axesOf({ x, y, width, height, hasGrid = true }) {
	const box = { left: LEFT, right: width - RIGHT, top: TOP, bottom: height - BOTTOM };
	const along = (at) => box.left + at * (box.right - box.left);
	const up = (at) => box.bottom - at * (box.bottom - box.top);
	const nodes = [
		x.scale.ticks.map(({ at, label }) => [hasGrid && svg('line', { class: 'grid', x1: along(at), x2: along(at), y1: box.top, y2: box.bottom }),
			svg('text', { x: along(at), y: box.bottom + 16, 'text-anchor': 'middle' }, label)]),
		y.scale.ticks.map(({ at, label }) => [hasGrid && svg('line', { class: 'grid', x1: box.left, x2: box.right, y1: up(at), y2: up(at) }),
			svg('text', { x: box.left - 8, y: up(at) + 4, 'text-anchor': 'end' }, cut(label, LEFT - 8))]),
		svg('text', { class: 'axis-name', x: 4, y: 13 }, svg('title', {}, y.name), cut(y.name, width - 8)),
		svg('text', { class: 'axis-name', x: (box.left + box.right) / 2, y: height - 8, 'text-anchor': 'middle' }, svg('title', {}, x.name), cut(x.name, width - LEFT)),
	];
	return { along, up, box, nodes: nodes.flat(2).filter(Boolean) };
}

export const mostTicks = (width, height) => ({ x: Math.max(3, (width - LEFT - RIGHT) / X_TICK_PX), y: Math.max(3, (height - TOP - BOTTOM) / Y_TICK_PX) });

/* A line that keeps each value until the next one. */
function stepsPath(places) {
	const [first, ...rest] = places.map((place) => place.map((one) => one.toFixed(1)));
	return svg('path', { class: 'steps-line', d: `M${first.join(' ')}${rest.map(([x, y]) => `H${x}V${y}`).join('')}` });
}

/*
 * points: [{id, x, y, words, look: a class}]; steps: [{x, y}] of a line that keeps each value until the next; x, y: {name}. Points without
 * a place on an axis are not drawn. Each has the data-run of its trial.
 */
export function pointPlot({ points, steps = [], x, y, width, height, label }) {
	const most = mostTicks(width, height);
	const scales = { x: scaleFor(points.map((one) => one.x), most.x), y: scaleOf(points.map((one) => one.y), { most: most.y }) };
	const { along, up, nodes } = axesOf({ x: { ...x, scale: scales.x }, y: { ...y, scale: scales.y }, width, height });
	const placed = points.map((one) => ({ ...one, px: scales.x.at(one.x), py: scales.y.at(one.y) })).filter(({ px, py }) => px !== null && py !== null);
	return svg('svg', { class: 'plot-svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label }, nodes,
		steps.length > 0 && stepsPath(steps.map((one) => [along(scales.x.at(one.x)), up(scales.y.at(one.y))])),
		placed.map(({ id, px, py, words, look }) => svg('circle', { class: look, 'data-run': id, cx: along(px).toFixed(1), cy: up(py).toFixed(1), r: RADIUS }, svg('title', {}, words))));
}
