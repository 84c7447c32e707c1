/*
 * A panel of lines as SVG: what uPlot has drawn, by the places that it gives values; colours as the theme has them now.
 */

import { css, svg } from '../../base/dom.js';
import { dashOf, ink } from '../../base/palette.js';
import { STROKE, TITLE, svgText } from '../panel/panel_file.js';
import { legendName } from '../panel/panel_words.js';
import { marked, stretches } from './line_paint.js';
import { refNodes } from './ref_lines.js';

const [ROW, LEFT, RIGHT, BOTTOM] = [18, 56, 14, 28];
const [MARK, EDGE] = [3, 5]; /* half as wide, and so far from the edge of the plot */

const px = (value) => Number(value.toFixed(2));

/* Returns the path of a line, as far as its points are joined. */
function pathOf(plot, values, scale) {
	const [places] = plot.data;
	let isDown = false;
	let path = '';
	places.forEach((x, place) => {
		const value = values[place];
		if (value === undefined) return;
		if (value === null) isDown = false;
		else {
			path += `${isDown ? 'L' : 'M'}${px(plot.valToPos(x, 'x'))} ${px(plot.valToPos(value, scale))}`;
			isDown = true;
		}
	});
	return path;
}

/* uPlot keeps what it wrote at an axis: where, and what. */
function marksOf(plot, axis) {
	const { _splits: places, _values: names } = plot.axes[axis];
	return (places || [])
		.map((place, at) => ({ place, name: names?.[at] }))
		.filter(({ name }) => name !== null && name !== undefined && name !== '');
}

const AXES = {
	x: (at, { high }) => [{ x1: at, x2: at, y1: 0, y2: high }, { x: at, y: high + 16, 'text-anchor': 'middle' }],
	y: (at, { wide }) => [{ x1: 0, x2: wide, y1: at, y2: at }, { x: -6, y: at + 4, 'text-anchor': 'end' }],
	y2: (at, { wide }) => [{ x1: wide, x2: wide + 4, y1: at, y2: at }, { x: wide + 6, y: at + 4 }],
};

function axisNodes(plot, axis, size) {
	const { scale } = plot.axes[axis];
	return marksOf(plot, axis).map(({ place, name }) => {
		const [line, words] = AXES[scale](px(plot.valToPos(place, scale)), size);
		return [
			svg('line', { ...line, stroke: css('--grid') }),
			svg('text', { ...words, fill: css('--axis'), 'font-size': 11 }, name),
		];
	});
}

/* Returns the path of a line that goes back and forth. */
function pathThrough(plot, path, scale) {
	const to = (point, nth) => point && `${path[nth - 1] ? 'L' : 'M'}${px(plot.valToPos(point[0], 'x'))} ${
		px(plot.valToPos(point[1], scale))}`;
	return path.map(to).filter(Boolean).join('');
}

/* Members of groups, below their lines. */
function thinNodes(plot, thin) {
	return thin.map(({ line, smooth, scale }) => svg('path', {
		d: pathOf(plot, smooth, scale), fill: 'none', stroke: ink(line), 'stroke-width': 1, 'stroke-opacity': 0.4,
	}));
}

function bandNodes(plot, ones, bands) {
	return ones.filter(({ line }) => bands.has(line.id)).map(({ line, raw, scale }) => {
		const { low, high } = bands.get(line.id);
		const [places] = plot.data;
		const at = (values) => (place) => `${px(plot.valToPos(places[place], 'x'))},${px(plot.valToPos(values[place], scale))}`;
		return stretches(low, raw).map((part) => svg('polygon', {
			points: [...part.map(at(high)), ...part.toReversed().map(at(low))].join(' '),
			fill: ink(line), 'fill-opacity': 0.16, stroke: ink(line), 'stroke-opacity': 0.16,
		}));
	});
}

function lineNodes(plot, ones) {
	return ones.map((one) => [
		svg('path', {
			d: one.path ? pathThrough(plot, one.path, one.scale) : pathOf(plot, one.smooth, one.scale),
			fill: 'none',
			stroke: ink(one.line),
			'stroke-width': 1.5,
			'stroke-dasharray': dashOf(one.line).join(' ') || null,
		}),
		one.dots.map((place) =>
			svg('circle', {
				cx: px(plot.valToPos(plot.data[0][place], 'x')),
				cy: px(plot.valToPos(one.smooth[place], one.scale)),
				r: 2.5,
				fill: ink(one.line),
			}),
		),
	]);
}

const cross = (x, y) => `M${px(x - MARK)} ${px(y - MARK)}L${px(x + MARK)} ${px(y + MARK)}M${px(x + MARK)} ${
	px(y - MARK)}L${px(x - MARK)} ${px(y + MARK)}`;
const arrow = (x, y, up) => `M${px(x - MARK)} ${px(y + MARK * up)}H${px(x + MARK)}L${px(x)} ${px(y - MARK * up)}Z`;

/* NaN and Inf at the edges, as on the screen. */
function oddNodes(plot, ones, high) {
	const [places] = plot.data;
	const [top, bottom] = [EDGE, high - EDGE];
	return ones.map(({ line }) => {
		const along = (at) => plot.valToPos(places[at], 'x');
		const pathTo = (counts, shape) => marked(counts, along, 2 * MARK).map((at) => shape(along(at))).join('');
		const crosses = pathTo(line.nan, (x) => cross(x, bottom));
		const arrows = pathTo(line.pinf, (x) => arrow(x, top, 1)) + pathTo(line.ninf, (x) => arrow(x, bottom, -1));
		return [
			crosses && svg('path', { d: crosses, fill: 'none', stroke: ink(line), 'stroke-width': 1.5 }),
			arrows && svg('path', { d: arrows, fill: ink(line) }),
		].filter(Boolean);
	});
}

export function legendNodes(ones, top) {
	return ones.map(({ line }, at) =>
		svg(
			'g',
			{ transform: `translate(12 ${top + at * ROW})` },
			svg('line', {
				x2: STROKE, y1: -4, y2: -4, stroke: ink(line), 'stroke-width': 3, 'stroke-dasharray': dashOf(line).join(' ') || null,
			}),
			svg('text', { x: STROKE + 6, fill: css('--text-2'), 'font-size': 12 }, legendName(line)),
		),
	);
}

/* legend: of so many lines the names stand below. */
export function svgOf({ plot, ones, bands, thin = [], name, refs = [] }, legend) {
	const [wide, high] = [plot.over.clientWidth, plot.over.clientHeight];
	const named = ones.slice(0, legend);
	const [width, height] = [
		LEFT + wide + (plot.axes.length > 2 ? LEFT : RIGHT),
		TITLE + high + BOTTOM + named.length * ROW + 8,
	];
	return svgText(
		{ name, width, height },
		svg('clipPath', { id: 'plot' }, svg('rect', { width: wide, height: high })),
		svg(
			'g',
			{ transform: `translate(${LEFT} ${TITLE})` },
			plot.axes.map((_, axis) => axisNodes(plot, axis, { wide, high })),
			svg('g', { 'clip-path': 'url(#plot)' },
				bandNodes(plot, ones, bands), thinNodes(plot, thin), lineNodes(plot, ones),
				refNodes(plot, refs, { wide, high }), oddNodes(plot, ones, high)),
		),
		legendNodes(named, TITLE + high + BOTTOM + 14),
	);
}
