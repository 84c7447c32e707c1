/* Runs as lines across axes of keys, as SVG. Where a run has no value its line breaks. */

import { svg } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { paint } from '../../base/palette.js';
import { text } from '../../text/plots.js';
import { columnNames } from '../../list/model/names.js';
import { scaleOf, spansDecades } from '../data/scale.js';
import { cut } from './size_key.js';

const words = text.plots;
const [SIDE, TOP, BOTTOM] = [60, 34, 14];
const LETTER_PX = 7.5; /* of a name */
const GAP = 12;
const TICKS = 6;
const HIT = 40; /* px around an axis that are meant for it */

function axisNode(x, bottom) {
	const hit = svg('rect', { class: 'axis-hit', x: x - HIT / 2, width: HIT, y: TOP, height: bottom - TOP, fill: 'none' });
	return svg('g', {}, hit,
		svg('line', { class: 'axis', x1: x, x2: x, y1: TOP, y2: bottom }));
}

/* Above the lines, so that these do not strike them through. */
function labelsNode({ name, shortName, isLog, scale }, { x, bottom, room }) {
	const up = (at) => bottom - at * (bottom - TOP);
	return svg('g', { class: 'axis-labels' },
		svg('text', { class: 'axis-name', x, y: 16, 'text-anchor': 'middle' }, svg('title', {}, name),
			words.axis(cut(shortName, room - (isLog ? words.axis('', true).length * LETTER_PX : 0), LETTER_PX), isLog)),
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
 * axes: [{name, isLog}], logarithmic if their values span decades and isLog is not given; lines: [{id, name, slot, color, values}], a value for each axis; width and height in pixels. A
 * node; each line has the data-run of its run.
 */
export function parallelPlot({ axes, lines, width, height }) {
	const bottom = height - BOTTOM;
	const names = columnNames(axes.map(({ name }) => name));
	const scaled = axes.map((axis, at) => {
		const values = lines.map((line) => line.values[at]);
		const isLog = axis.isLog ?? spansDecades(values);
		return { ...axis, isLog, shortName: names.get(axis.name), scale: scaleOf(values, { isLog, most: TICKS }) };
	});
	const apart = axes.length > 1 ? (width - 2 * SIDE) / (axes.length - 1) : width;
	const roomAt = (at) => Math.min(apart, at % (axes.length - 1) === 0 ? 2 * SIDE : apart) - GAP;
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
		scaled.map((axis, at) => labelsNode(axis, { x: along(at), bottom, room: roomAt(at) })));
}
