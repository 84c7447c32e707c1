/* Boxes beside each other, as SVG: quartiles, median, whiskers; each value as a point where there are few. */

import { svg } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { paint } from '../../base/palette.js';
import { text } from '../../text/plots.js';
import { scaleOf } from '../data/scale.js';

const words = text.plots;
const [LEFT, RIGHT, TOP, BOTTOM] = [74, 12, 14, 20];
const LINE = 15; /* of words below a box */
const TICK_PX = 45;
const WIDEST = 72; /* of a box */
const SHARE = 0.6; /* of its place */
export const POINTS_MOST = 20; /* so few are all drawn; of more those that whiskers do not reach */
const LETTER_PX = 7;

/* Beside each other as their order has it, so that equal ones are all seen. */
const aside = (at) => (at % 5 - 2) / 12;

export function pointsOf(box) {
	if (box.n <= POINTS_MOST) return box.points;
	return box.points.filter(({ value }) => value < box.low || value > box.high);
}

function labelled(name, px) {
	const letters = Math.max(1, Math.floor(px / LETTER_PX));
	if (name.length <= letters) return name;
	return letters > 2 ? `${name.slice(0, letters - 1)}…` : name.slice(0, letters);
}

/* How many runs, in as many words as there is place for; the title has them all. */
function counted(n, px) {
	return [words.boxRuns(n), String(n)].find((said) => said.length * LETTER_PX <= px) ?? '';
}

const isAbove = (value) => value > 0;

/* Runs whose value has no logarithm. */
export function hiddenOf(boxes) {
	return boxes.reduce((sum, { points }) => sum + points.filter(({ value }) => !isAbove(value)).length, 0);
}

/* Returns the values that the axis covers. A logarithmic axis begins at the least positive value. */
function endsOf({ points, least, most, low }, isLog) {
	if (!isLog) return [least, low, most];
	const shown = points.map(({ value }) => value).filter(isAbove);
	return shown.length ? [shown.reduce((a, b) => Math.min(a, b)), most] : [];
}

function pointNode({ id, name, value }, { x, up, fill }) {
	return svg('circle', { 'data-run': id, cx: x, cy: up(value), r: 3, style: { fill } },
		svg('title', {}, `${name}: ${number(value)}`));
}

/* Cuts a box off at the start of the axis if part of it has no place there. Parts with no place are not drawn. */
function shapes(box, { x, half, up, bottom }) {
	const has = (name) => up(box[name]) !== null;
	const at = (name) => up(box[name]) ?? bottom;
	const line = (from, to, far) => svg('line', { class: 'whisker', x1: x - far, x2: x + far, y1: at(from), y2: at(to) });
	return [
		has('first') && line('low', 'first', 0), has('high') && line('third', 'high', 0),
		has('low') && line('low', 'low', half / 2), has('high') && line('high', 'high', half / 2),
		has('third') && svg('rect',
			{ x: x - half, width: 2 * half, y: at('third'), height: Math.max(1, at('first') - at('third')),
			style: { fill: paint(box), stroke: paint(box) } }),
		has('median') && svg('line', { class: 'median', x1: x - half, x2: x + half, y1: at('median'), y2: at('median') }),
	];
}

function boxNode(box, place) {
	const { x, half, up, bottom, px } = place;
	const points = pointsOf(box).filter(({ value }) => up(value) !== null);
	return svg('g', { class: 'box' },
		svg('title', {}, words.boxTold(box.name, box.n, ...['median', 'first', 'third', 'low', 'high']
		.map((name) => number(box[name])))),
	shapes(box, place),
	[...box.names.map((name) => labelled(name, px)), counted(box.n, px)].map((line, at) =>
		svg('text', { x, y: bottom + 16 + at * LINE, 'text-anchor': 'middle' }, line)),
	points.map((point, at) => pointNode(point, { x: x + aside(at) * half * 2, up, fill: paint(box) })));
}

/*
 * boxes: of boxes.js, each with name, names (a line each), slot, color, in the order drawn; axis: those that it is of;
 * y: {name, isLog}; width and height in pixels.
 */
export function boxPlot({ boxes, axis = boxes, y, width, height }) {
	const bottom = height - BOTTOM - LINE * Math.max(0, ...boxes.map(({ names }) => names.length));
	const scale = scaleOf(axis.flatMap((box) => endsOf(box, y.isLog)), { isLog: y.isLog, most: height / TICK_PX });
	const up = (value) => {
		const at = scale.at(value);
		return at === null ? null : bottom - at * (bottom - TOP);
	};
	const px = (width - LEFT - RIGHT) / Math.max(1, boxes.length);
	const half = Math.min(WIDEST, px * SHARE) / 2;
	return svg('svg', { class: 'plot-svg boxes', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
		'aria-label': words.boxes(y.name, boxes.length) },
	scale.ticks.map((tick) => [
		svg('line', { class: 'grid', x1: LEFT, x2: width - RIGHT, y1: bottom - tick.at * (bottom - TOP),
			y2: bottom - tick.at * (bottom - TOP) }),
		svg('text', { x: LEFT - 8, y: bottom - tick.at * (bottom - TOP) + 4, 'text-anchor': 'end' }, tick.label)]),
	boxes.map((box, at) => boxNode(box, { x: LEFT + (at + 0.5) * px, half, up, bottom, px })));
}
