/*
 * Points of runs by two keys, as SVG, as large as a third says, and the front of those that no other one beats. What
 * has no place on an axis is not drawn, but counted; a point without a size is hollow.
 */

import { el, svg } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { paint } from '../../base/palette.js';
import { text } from '../../text/plots.js';
import { columnNames } from '../../list/model/names.js';
import { scaleOf } from '../data/scale.js';
import { frontOf, stairsOf } from './pareto.js';
import { greatestIn, LEAST, sizesOf } from './point_size.js';
import { cut, LETTER_PX, sizeKey } from './size_key.js';

const words = text.plots;
const [LEFT, RIGHT, TOP, BOTTOM] = [62, 20, 26, 44];
const RADIUS = 5;
const RING = 3; /* around a point of the front */
const TICK_PX = 70;
const TICKS = 3; /* at least, so that an axis tells where it is */
const NOTE_PX = 20; /* a line of what is said below */
const SHORT_PX = 260; /* a figure that has room for one of them */
const BOLD_PX = 7.5; /* a letter of a name */
const NAME_PX = 20; /* of an axis, below it; what sizes mean stands there, too */

function shown(value) {
	return typeof value === 'number' ? number(value) : String(value);
}

const ticksIn = (length, each) => Math.max(TICKS, length / each);

/* The largest point has room before the ends of the axes. */
function grid(x, y, { width, height, inset, below }) {
	const [right, bottom] = [width - RIGHT, height - BOTTOM - below];
	const along = (at) => LEFT + inset + at * (right - LEFT - 2 * inset);
	const up = (at) => bottom - inset - at * (bottom - TOP - 2 * inset);
	const lines = [
		...x.ticks.map((tick) => [svg('line', { class: 'grid', x1: along(tick.at), x2: along(tick.at), y1: TOP, y2: bottom }),
			svg('text', { x: along(tick.at), y: bottom + 16, 'text-anchor': 'middle' }, tick.label)]),
		...y.ticks.map((tick) => [svg('line', { class: 'grid', x1: LEFT, x2: right, y1: up(tick.at), y2: up(tick.at) }),
			svg('text', { x: LEFT - 8, y: up(tick.at) + 4, 'text-anchor': 'end' }, tick.label)])];
	return { along, up, lines };
}

function point(one, { along, up, x, y, size, sizes, isOnFront }) {
	const isHollow = Boolean(size) && !Number.isFinite(one.size);
	const r = !size ? RADIUS : sizes ? sizes.radiusOf(one.size) : LEAST;
	const place = { 'data-run': one.id, cx: along(one.px), cy: up(one.py) };
	const parts = [words.point(one.name, x.name, shown(one.x), y.name, shown(one.y)),
		size && !isHollow && words.sized(size.name, shown(one.size)), isOnFront && words.onFront];
	const looks = isHollow ? { class: 'hollow', style: { stroke: paint(one) } } : { style: { fill: paint(one) } };
	return [svg('circle', { ...place, r, ...looks }, svg('title', {}, parts.filter(Boolean).join(', '))),
		isOnFront && svg('circle', { ...place, class: 'front-ring', r: r + RING })];
}

function stairs(points, front, { along, up, x, y }) {
	const byId = new Map(points.map((one) => [one.id, one]));
	const corners = stairsOf(front.map((id) => byId.get(id)).filter(Boolean).map(({ px, py }) => [px, py]), { x, y });
	if (!corners.length) return null;
	return svg('path', { class: 'front-line', d: `M${corners.map(([px, py]) => `${along(px)} ${up(py)}`).join('L')}` });
}

/*
 * Returns the points {id, x, y} on the front, {ids}, in order from the best along x, or the reason why there are none:
 * {lacks: names of axes whose better direction is unknown}, or {isOfWords}. x, y: {name, isLog, better}.
 */
export function frontIn(points, { x, y }) {
	const isOfWords = ['x', 'y'].some((axis) => scaleOf(points.map((one) => one[axis])).kind !== 'number');
	if (isOfWords && points.length) return { ids: [], lacks: [], isOfWords };
	const lacks = [...new Set([x, y].filter(({ better }) => !better).map(({ name }) => name))];
	return { ids: frontOf(points, { x, y }).map((at) => points[at].id), lacks };
}

function frontNote({ ids, lacks, isOfWords }, placed, { x, y }) {
	if (isOfWords) return words.frontOfWords;
	if (lacks.length) return words.frontLacks(lacks);
	return words.front(ids.length, placed, words.isBetter[x.better](x.name), words.isBetter[y.better](y.name));
}

/* The name of the axis in the middle, or at the right where the left says what sizes mean. */
function nameBelow(name, { width, height, sizes, size }) {
	const y = height - 8;
	if (!sizes) return svg('text', { class: 'axis-name', x: (LEFT + width - RIGHT) / 2, y, 'text-anchor': 'middle' }, name);
	const shortName = cut(name, width / 2);
	const left = width - RIGHT - shortName.length * BOLD_PX;
	return [sizeKey(sizes, size.name, { y: height - Math.max(NAME_PX / 2, sizes.greatest + 1), width: left }),
		svg('text', { class: 'axis-name', x: width - RIGHT, y, 'text-anchor': 'end' }, svg('title', {}, name), shortName)];
}

/* Large ones lie below small ones. */
const byRadius = (sizes) => (a, b) => sizes ? sizes.radiusOf(b.size) - sizes.radiusOf(a.size) : 0;

/*
 * points: [{id, name, slot, color, x, y, size}]; all: of which the axes and sizes are; x, y: {name, isLog, better};
 * size: {name} where points are sized; front: of frontIn, where it is drawn; width and height in pixels. A node; each
 * point has the data-run of its run.
 */
export function scatterPlot({ points, all = points, x, y, size, front, width, height: given }) {
	const [across, upward] = [scaleOf(all.map((one) => one.x), { isLog: x.isLog, most: ticksIn(width - LEFT, TICK_PX) }),
		scaleOf(all.map((one) => one.y), { isLog: y.isLog, most: ticksIn(given, TICK_PX / 2) })];
	const isPlaced = (one) => across.at(one.x) !== null && upward.at(one.y) !== null;
	const sizes = size ? sizesOf(all.filter(isPlaced).map((one) => one.size), greatestIn(given)) : null;
	const placed = points.filter(isPlaced).map((one) => ({ ...one, px: across.at(one.x), py: upward.at(one.y) }))
		.sort(byRadius(sizes));
	const hidden = points.length - placed.length;
	const hollow = size ? placed.filter((one) => !Number.isFinite(one.size)).length : 0;
	const note = [hidden > 0 && words.hidden(hidden), hollow > 0 && words.hollow(hollow, size.name),
		front && frontNote(front, placed.length, { x, y })].filter(Boolean).join('; ');
	const isShort = given < SHORT_PX;
	const height = given - (isShort ? Math.min(1, note.length) : Math.ceil(note.length * LETTER_PX / width)) * NOTE_PX;
	const below = sizes ? Math.max(0, 2 * sizes.greatest - NAME_PX) : 0;
	const { along, up, lines } = grid(across, upward, { width, height, inset: sizes?.greatest ?? 0, below });
	const onFront = new Set(front?.ids);
	const drawn = placed.map((one) =>
		point(one, { along, up, x, y, size, sizes, isOnFront: onFront.has(one.id) }));
	const names = columnNames([x.name, y.name]);
	const label = [words.scatter(y.name, x.name, placed.length), size && words.sizedBy(size.name),
		front && !front.lacks.length && !front.isOfWords && words.onFrontCount(onFront.size)].filter(Boolean).join(', ');
	return el('figure', { class: 'plot-figure' },
		svg('svg', { class: 'plot-svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label },
			lines,
			svg('text', { class: 'axis-name', x: 4, y: 13 }, names.get(y.name)),
			nameBelow(names.get(x.name), { width, height, sizes, size }),
			front && stairs(placed, front.ids, { along, up, x, y }), drawn),
		note && el('figcaption', { class: isShort ? 'muted clip' : 'muted', title: isShort && note }, note));
}
