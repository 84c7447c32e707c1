/* Points of runs by two keys, as SVG. What has no place on an axis is not drawn, and counted. */

import { el, svg } from '../dom.js';
import { number } from '../format.js';
import { text } from '../text.js';
import { paint } from './palette.js';
import { scaleOf } from './scale.js';

const words = text.plots;
const [LEFT, RIGHT, TOP, BOTTOM] = [62, 20, 26, 44];
const RADIUS = 5;
const TICK_PX = 70;
const TICKS = 3; /* at least, so that an axis tells where it is */
const NOTE_PX = 20; /* what is said below */

function shown(value) {
	return typeof value === 'number' ? number(value) : String(value);
}

const ticksIn = (length, each) => Math.max(TICKS, length / each);

function grid(x, y, { width, height }) {
	const [right, bottom] = [width - RIGHT, height - BOTTOM];
	const along = (at) => LEFT + at * (right - LEFT);
	const up = (at) => bottom - at * (bottom - TOP);
	const lines = [
		...x.ticks.map((tick) => [svg('line', { class: 'grid', x1: along(tick.at), x2: along(tick.at), y1: TOP, y2: bottom }),
			svg('text', { x: along(tick.at), y: bottom + 16, 'text-anchor': 'middle' }, tick.label)]),
		...y.ticks.map((tick) => [svg('line', { class: 'grid', x1: LEFT, x2: right, y1: up(tick.at), y2: up(tick.at) }),
			svg('text', { x: LEFT - 8, y: up(tick.at) + 4, 'text-anchor': 'end' }, tick.label)])];
	return { along, up, lines };
}

/*
 * points: [{id, name, slot, color, x, y}]; all: of which the axes are; x, y: {name, isLog}; width and height in pixels.
 * A node; each point has the data-run of its run.
 */
export function scatterPlot({ points, all = points, x, y, width, height: given }) {
	const [across, upward] = [scaleOf(all.map((one) => one.x), { isLog: x.isLog, most: ticksIn(width - LEFT, TICK_PX) }),
		scaleOf(all.map((one) => one.y), { isLog: y.isLog, most: ticksIn(given, TICK_PX / 2) })];
	const isPlaced = (one) => across.at(one.x) !== null && upward.at(one.y) !== null;
	const height = points.every(isPlaced) ? given : given - NOTE_PX;
	const { along, up, lines } = grid(across, upward, { width, height });
	const placed = points.map((one) => ({ ...one, px: across.at(one.x), py: upward.at(one.y) }))
		.filter(isPlaced);
	const drawn = placed.map((one) => svg('circle',
		{ 'data-run': one.id, cx: along(one.px), cy: up(one.py), r: RADIUS, style: { fill: paint(one) } },
		svg('title', {}, words.point(one.name, x.name, shown(one.x), y.name, shown(one.y)))));
	const hidden = points.length - placed.length;
	return el('figure', { class: 'plot-figure' },
		svg('svg', { class: 'plot-svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
			'aria-label': words.scatter(y.name, x.name, placed.length) }, lines,
			svg('text', { class: 'axis-name', x: 4, y: 13 }, y.name),
			svg('text', { class: 'axis-name', x: (LEFT + width - RIGHT) / 2, y: height - 8, 'text-anchor': 'middle' }, x.name),
				drawn),
		hidden > 0 && el('figcaption', { class: 'muted' }, words.hidden(hidden)));
}
