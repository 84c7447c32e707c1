/*
 * Lines along a metric that goes back and forth are drawn in the order of their rows, unless they are to be sorted: the
 * metric and the panel's keys are asked for by steps, and what falls into the same bucket is one point.
 */

import { text } from '../text.js';
import { bucketAt, placeOf } from './buckets.js';
import { formulaLines } from './formula.js';
import { paintPath } from './line_along.js';
import { drawn, linesOf } from './lines.js';

export const BUCKETS_MOST = 500000; /* of all lines of a panel */
const LEAST = 64; /* fewer say nothing */
const words = text.charts;

/* Of each line of so many; 0 where there are too many lines. */
export function rowBuckets(buckets, lines) {
	const most = Math.min(buckets, Math.floor(BUCKETS_MOST / lines));
	return most < LEAST ? 0 : most;
}

/* Neither rises nor falls all the way; a line as of buckets.js. Pure. */
export function isBackAndForth({ min, max }) {
	let [isRising, isFalling] = [true, true];
	let before = -1;
	min.forEach((low, at) => {
		if (low === null || low === undefined) return;
		if (before >= 0) {
			isRising &&= low >= max[before];
			isFalling &&= max[at] <= min[before];
		}
		before = at;
	});
	return !isRising && !isFalling;
}

/* Points [x, y] of a line whose values have a place each in `xs`; null where it is lifted. Pure. */
export function pathOf(xs, values) {
	const path = [];
	values.forEach((value, at) => {
		if (value === undefined || (value !== null && !Number.isFinite(xs[at]))) return;
		if (value !== null) path.push([xs[at], value]);
		else if (path.length && path[path.length - 1]) path.push(null);
	});
	return path;
}

/* Which of the values that are there is least far; -1 where none is. Pure. */
export function nearest(values, far) {
	let found = -1;
	values.forEach((value, at) => {
		if (value === null || value === undefined) return;
		if (found < 0 || far(value, at) < far(values[found], found)) found = at;
	});
	return found;
}

const filledNear = ({ mean }, place) => nearest(mean, (_, at) => Math.abs(at - place));

export function rowOrder(panel) {
	let rows = null; /* by steps: {x, grid, lines} */
	let cancel = null;
	let isOdd = false;

	function take(x, { answer }) {
		if (!answer?.panel) return;
		const found = linesOf(answer, { ...panel.page, groups: [] }, [...panel.keys, x]);
		const along = new Map(found.lines.filter(({ key }) => key === x).map((line) => [line.who, line]));
		rows = { x, grid: found.grid, along, lines: found.lines.filter(({ key }) => panel.keys.includes(key)) };
		isOdd = [...along.values()].some(isBackAndForth);
		panel.redraw();
	}

	function linesNow() {
		const { spec: { formula }, keys } = panel;
		return formula ? formulaLines(rows.lines, { keys, formula, count: rows.grid.count }) : rows.lines;
	}

	const isHere = () => isOdd && rows.x === panel.data.x;

	return {
		/* The panel has another answer: so many buckets were asked for. */
		answered(buckets) {
			const { page: { runs }, keys, data: { x } } = panel;
			const count = rowBuckets(buckets, runs.length * (keys.length + 1));
			cancel?.();
			if (!count || keys.includes(x)) return;
			const asked = { keys: [...keys, x], x: '_step', buckets: count };
			cancel = panel.page.cache.want({ runs: runs.map(({ id }) => id), groups: [], panel: asked }, (got) => take(x, got));
		},
		/* Gives those of the lines that have an order of rows their path. */
		put(ones) {
			if (!isHere() || panel.spec.sorted) return;
			const { look: { weight, window, y } } = panel;
			const how = { count: rows.grid.count, weight, window, isLog: y === 'log' };
			const lines = linesNow();
			for (const one of ones) {
				const line = lines.find(({ who, key }) => who === one.line.who && key === one.line.key);
				const along = line && rows.along.get(line.who);
				if (along && isBackAndForth(along)) one.path = pathOf(along.mean, drawn(line, how).smooth);
			}
		},
		paint: paintPath,
		mark() {
			if (!isHere()) return null;
			const press = () => panel.page.change(panel, { sorted: panel.spec.sorted ? undefined : true });
			return { ...panel.spec.sorted ? words.inRows : words.sort, press };
		},
		/* Of a run; null where it is not known. */
		xAt(who, step) {
			const along = rows?.x === panel.data.x && rows.along.get(who);
			return along ? along.mean[filledNear(along, bucketAt(rows.grid, step))] ?? null : null;
		},
		/* The step where a run has this x, if it has it once. */
		stepAt(who, x) {
			const along = rows?.x === panel.data.x && rows.along.get(who);
			if (!along || isBackAndForth(along)) return null;
			const at = nearest(along.mean, (value) => Math.abs(value - x));
			return at < 0 ? null : placeOf(rows.grid, at, true);
		},
		stop: () => cancel?.(),
	};
}
