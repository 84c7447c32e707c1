/* Runs as lines across axes of keys, as SVG. Where a run has no value its line breaks. */

import { svg } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { paint } from '../../base/palette.js';
import { text } from '../../text/plots.js';
import { scaleOf } from '../data/scale.js';

const words = text.plots;
const [SIDE, TOP, BOTTOM] = [60, 34, 14];
const NAME_LETTERS = 18;
const TICKS = 6;
const HIT = 40; /* px around an axis that are meant for it */

function axisNode(x, bottom) {
	const hit = svg('rect', { class: 'axis-hit', x: x - HIT / 2, width: HIT, y: TOP, height: bottom - TOP, fill: 'none' });
	return svg('g', {}, hit,
		svg('line', { class: 'axis', x1: x, x2: x, y1: TOP, y2: bottom }));
}

/* Above the lines, so that these do not strike them through. */
function labelsNode({ name, isLog, scale }, x, bottom) {
	const up = (at) => bottom - at * (bottom - TOP);
	return svg('g', { class: 'axis-labels' },
		svg('text', { class: 'axis-name', x, y: 16, 'text-anchor': 'middle' }, svg('title', {}, name),
			words.axis(name.length > NAME_LETTERS ? `…${name.slice(1 - NAME_LETTERS)}` : name, isLog)),
		scale.ticks.map((tick) => svg('text', { x: x + 5, y: up(tick.at) + 4 }, tick.label)));
}

/* Stretches between axes where it has values. */
function pathOf(places) {
	const step = ([x, y], isOn) => `${isOn ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
	return places.map((place, at) => place && step(place, places[at - 1])).filter(Boolean).join('');
}

function dots(places, color) {
	return places.filter(Boolean).map(([x, y]) => svg('circle', { cx: x, cy: y, r: 3, style: { fill: color } }));
}

function shown(value) {
	if (value === undefined) return words.notSet;
	return typeof value === 'number' ? number(value) : String(value);
}

function valuesText(values, axes) {
	return axes.map(({ name }, at) => `${name} ${shown(values[at])}`).join(', ');
}

/*
 * axes: [{name, isLog}]; lines: [{id, name, slot, color, values}], a value for each axis; width and height in pixels. A
 * node; each line has the data-run of its run.
 */
export function parallelPlot({ axes, lines, width, height }) {
	const bottom = height - BOTTOM;
	const scaled = axes.map((axis, at) =>
		({ ...axis, scale: scaleOf(lines.map(({ values }) => values[at]), { isLog: axis.isLog, most: TICKS }) }));
	const along = (at) => axes.length > 1 ? SIDE + at * (width - 2 * SIDE) / (axes.length - 1) : width / 2;
	const drawn = lines.map((line) => {
		const places = scaled.map(({ scale }, at) => {
			const up = scale.at(line.values[at]);
			return up === null ? null : [along(at), bottom - up * (bottom - TOP)];
		});
		return svg('g', { 'data-run': line.id, class: 'parallel-line' },
			svg('title', {}, `${line.name}: ${valuesText(line.values, axes)}`),
			svg('path', { d: pathOf(places), style: { stroke: paint(line) } }), dots(places, paint(line)));
	});
	return svg('svg', { class: 'plot-svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
		'aria-label': words.parallel(lines.length, axes.map(({ name }) => name).join(', ')) },
	scaled.map((_, at) => axisNode(along(at), bottom)), drawn,
		scaled.map((axis, at) => labelsNode(axis, along(at), bottom)));
}
