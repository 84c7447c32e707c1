/* How uPlot is set up for a panel. The panel says what is in it: ranges, lines, what is painted beside them. */

import { css } from '../../base/dom.js';
import { ticks } from '../../base/format.js';
import { dashOf, ink } from '../../base/palette.js';
import { linearTicks, logTicks, niceStep, spanLabels, spanTicks, symlogTicks, timeLabels, timeTicks } from './axis.js';

const MANY = 100; /* lines: from then on they are thin and have no dashes */
const [LEAST, MOST, LETTER] = [48, 84, 6.5]; /* px of an axis, and of a letter at it */
const LEFT = 14; /* px that what stands at x may reach over the axis of y */
const DISTR = { linear: 1, log: 3, sym: 4 };

function axis(more) {
	return {
		stroke: css('--axis'), font: `11px ${css('--font')}`, gap: 4, space: 1,
		grid: { stroke: css('--grid'), width: 1 }, ticks: { show: false },
		...more,
	};
}

const room = (u, at) => at === 0 ? u.bbox.width / devicePixelRatio / 64 : u.bbox.height / devicePixelRatio / 28;

/* One step that fits, of any size: uPlot's own list ends at 1e15. */
function incrs(u, at, low, high) {
	return [niceStep(high - low, room(u, at)) || Number.MIN_VALUE];
}

/* Marks of an x axis and their labels. On a logarithmic axis each label has its own unit. */
const SPANS = {
	marks: spanTicks,
	labels: spanLabels,
	logLabels: (list) => list.map((mark) => spanLabels([mark, 2 * mark])[0]),
};
const X_AXES = {
	_timestamp: { marks: timeTicks, labels: timeLabels },
	_relative: SPANS,
	_process: SPANS,
};
const PLAIN_X = { marks: linearTicks, labels: ticks, logLabels: ticks };

/* Nothing stands at a mark so far right that it would be cut, or so far left that it would lie on the axis of y. */
function whatFits(u, marks, labels) {
	const right = u.width - u.bbox.left / devicePixelRatio;
	return labels.map((label, at) => {
		const [place, half] = [u.valToPos(marks[at], 'x'), String(label).length * LETTER / 2];
		return place + half > right || place - half < -LEFT ? '' : label;
	});
}

function xAxis({ x, isLog }) {
	const kind = Object.hasOwn(X_AXES, x) ? X_AXES[x] : PLAIN_X;
	const [marks, labels] = isLog ? [logTicks, kind.logLabels] : [kind.marks, kind.labels];
	const whole = x === '_step' ? (list) => list.filter(Number.isInteger) : (list) => list;
	return axis({
		size: 24, incrs: isLog ? undefined : incrs, filter: (u, list) => list, values: (u, list) => whatFits(u, list, labels(list)),
		splits: (u, at, low, high) => whole(marks(low, high, room(u, 0))),
	});
}

const PLAIN_Y = { marks: linearTicks, labels: ticks };

/* As wide as what stands at it, within what is left for lines. */
function wideEnough(list, least = 0) {
	const letters = Math.max(0, ...(list || []).map((mark) => mark.length));
	return Math.max(LEAST, least, Math.min(MOST, letters * LETTER + 12));
}

function yAxis({ y, threshold }, kind, more) {
	const marks = {
		linear: kind.marks, log: logTicks,
		sym: (low, high, count) => symlogTicks(low, high, count, threshold),
	}[y];
	return axis({
		size: (u, list) => wideEnough(list, kind.least), incrs: y === 'linear' ? incrs : undefined, filter: (u, list) => list,
		values: (u, list) => kind.labels(list), splits: (u, at, low, high) => marks(low, high, room(u, 1)), ...more,
	});
}

/* dots(series): the places of points; they change with what is drawn, without a new uPlot. */
function series(one, { count, dots }) {
	const colour = ink(one.line);
	const many = count > MANY;
	return {
		scale: one.scale, stroke: colour, width: many ? 1 : one.line.isStrong ? 2 : 1.5, dash: many ? [] : dashOf(one.line),
		label: one.line.name,
		points: { show: (u, at) => dots(at).length > 0, filter: (u, at) => dots(at), size: 5, fill: colour, width: 0 },
	};
}

const RIGHT = { scale: 'y2', side: 1, grid: { show: false } };

function yScale(name, { y, threshold }, panel) {
	return { distr: DISTR[y], asinh: threshold, range: () => panel.yRange(name) };
}

/*
 * shape: {x, isLog, y, threshold, hasRight}; panel: xRange(), yRange(scale), dots(series), below(u), above(u), moved(u),
 * selected(u), down(event), reset(), and yTold {marks, labels, least} where values have a unit; least: px of the axis.
 */
export function plotOptions({ width, height, shape, ones, panel }) {
	const { yTold = PLAIN_Y } = panel;
	return {
		width, height, padding: [10, shape.hasRight ? 0 : 14, 0, 0], legend: { show: false },
		scales: {
			x: { time: false, distr: shape.isLog ? DISTR.log : DISTR.linear, range: () => panel.xRange() },
			y: yScale('y', shape, panel),
			...(shape.hasRight && { y2: yScale('y2', shape, panel) }),
		},
		axes: [xAxis(shape), yAxis(shape, yTold), ...(shape.hasRight ? [yAxis(shape, yTold, RIGHT)] : [])],
		series: [{}, ...ones.map((one) => series(one, { count: ones.length, dots: panel.dots }))],
		cursor: {
			y: false, points: { size: 6, show: ones.length <= MANY }, focus: { prox: 24 },
			drag: { x: true, y: false, setScale: false },
			bind: { dblclick: () => () => (panel.reset(), null),
				mousedown: (u, target, down) => (event) => (panel.down(event), down(event)) },
		},
		focus: { alpha: 1 },
		hooks: {
			drawAxes: [panel.below], draw: [panel.above], setCursor: [panel.moved], setSelect: [panel.selected],
			setSeries: [panel.near],
		},
	};
}
