/* Boxes beside each other, as SVG: quartiles, median, whiskers; each value as a point where there are few. */

import { svg } from '../dom.js';
import { number } from '../format.js';
import { text } from '../text.js';
import { paint } from './palette.js';
import { scaleOf } from './scale.js';

const words = text.plots;
const [LEFT, RIGHT, TOP, BOTTOM] = [74, 12, 14, 20];
const LINE = 15; /* of words below a box */
const ROOMY = 56; /* px for a box, so that it says what it counts */
const TICK_PX = 45;
const WIDEST = 72; /* of a box */
const SHARE = 0.6; /* of its place */
export const POINTS_MOST = 20; /* so few are all drawn; of more those that whiskers do not reach */
const LETTER_PX = 7;

/* Beside each other as their order has it, so that equal ones are all seen. */
const aside = (at) => (at % 5 - 2) / 12;

function pointsOf(box) {
	if (box.n <= POINTS_MOST) return box.points;
	return box.points.filter(({ value }) => value < box.low || value > box.high);
}

function labelled(name, px) {
	const letters = Math.max(3, Math.floor(px / LETTER_PX));
	return name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
}

function pointNode({ id, name, value }, { x, up, fill }) {
	return svg('circle', { 'data-run': id, cx: x, cy: up(value), r: 3, style: { fill } },
		svg('title', {}, `${name}: ${number(value)}`));
}

function boxNode(box, { x, half, up, bottom, px }) {
	const line = (from, to, far) => svg('line', { class: 'whisker', x1: x - far, x2: x + far, y1: up(from), y2: up(to) });
	const points = pointsOf(box).filter(({ value }) => up(value) !== null);
	return svg('g', { class: 'box' }, svg('title', {}, words.boxTold(box.name, box.n, ...['median', 'first', 'third', 'low', 'high']
		.map((name) => number(box[name])))),
	line(box.low, box.first, 0), line(box.third, box.high, 0), line(box.low, box.low, half / 2), line(box.high, box.high, half / 2),
	svg('rect', { x: x - half, width: 2 * half, y: up(box.third), height: Math.max(1, up(box.first) - up(box.third)),
		style: { fill: paint(box), stroke: paint(box) } }),
	svg('line', { class: 'median', x1: x - half, x2: x + half, y1: up(box.median), y2: up(box.median) }),
	[...box.names.map((name) => labelled(name, px)), px < ROOMY ? String(box.n) : words.boxRuns(box.n)].map((line, at) =>
		svg('text', { x, y: bottom + 16 + at * LINE, 'text-anchor': 'middle' }, line)),
	points.map((point, at) => pointNode(point, { x: x + aside(at) * half * 2, up, fill: paint(box) })));
}

/* boxes: of boxes.js, each with name, names (a line each), slot, color, in the order drawn; y: {name, isLog}; width and height in pixels. */
export function boxPlot({ boxes, y, width, height }) {
	const bottom = height - BOTTOM - LINE * Math.max(0, ...boxes.map(({ names }) => names.length));
	const scale = scaleOf(boxes.flatMap(({ least, most, low }) => [least, low, most]), { isLog: y.isLog, most: height / TICK_PX });
	const up = (value) => {
		const at = scale.at(value);
		return at === null ? bottom : bottom - at * (bottom - TOP);
	};
	const px = (width - LEFT - RIGHT) / Math.max(1, boxes.length);
	const half = Math.min(WIDEST, px * SHARE) / 2;
	return svg('svg', { class: 'plot-svg boxes', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
		'aria-label': words.boxes(y.name, boxes.length) },
	scale.ticks.map((tick) => [
		svg('line', { class: 'grid', x1: LEFT, x2: width - RIGHT, y1: bottom - tick.at * (bottom - TOP), y2: bottom - tick.at * (bottom - TOP) }),
		svg('text', { x: LEFT - 8, y: bottom - tick.at * (bottom - TOP) + 4, 'text-anchor': 'end' }, tick.label)]),
	boxes.map((box, at) => boxNode(box, { x: LEFT + (at + 0.5) * px, half, up, bottom, px })));
}
