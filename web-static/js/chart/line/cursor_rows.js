/*
 * Finds the cursor's place in a panel with another x, as far as the rows at hand allow. Two rows of the same key of a
 * run are the same if equally many rows come before them. That requires the same order of rows along both axes, so a
 * single writer, and does not work along the time of each process. Along a metric the step is known (row_order.js).
 */

import { inFocus } from '../../base/focus.js';
import { bucketAt } from '../data/buckets.js';

const isMetric = ({ data: { x } }) => x[0] !== '_';

const rowsAt = ({ n, nan, pinf, ninf }, at) => n[at] + nan[at] + pinf[at] + ninf[at];

const rowsOf = (line) => line.n.reduce((sum, _, at) => sum + rowsAt(line, at), 0);

/* How many rows lie before x. Pure, as what follows. */
export function rowsBefore(line, grid, x) {
	const bucket = bucketAt(grid, x);
	let rows = 0;
	for (let at = 0; at < Math.min(bucket, line.n.length); at++) rows += rowsAt(line, at);
	const part = (x - grid.from) / grid.width - bucket;
	return bucket < line.n.length ? rows + rowsAt(line, bucket) * Math.max(0, Math.min(1, part)) : rows;
}

/* The x before which so many rows lie. */
export function placeAfter(line, grid, rows) {
	let before = 0;
	for (let at = 0; at < line.n.length; at++) {
		const here = rowsAt(line, at);
		if (here && before + here >= rows) return grid.from + (at + (rows - before) / here) * grid.width;
		before += here;
	}
	return null;
}

/* Returns whether a run has one writer. Only the run's page knows that, a list of runs does not. */
function hasOneWriter(runs, who) {
	return runs.find(({ id }) => id === who)?.writers?.() === 1;
}

/* Both have all rows of the same key of the run, along a straight axis. */
function byCount(from, to, { who, x }) {
	if ([from, to].some(({ data }) => data.grid.isLog || data.x === '_process')) return null;
	if (!hasOneWriter(from.page.runs, who)) return null;
	for (const one of from.data.lines.filter((line) => line.who === who)) {
		const same = to.data.lines.find((line) => line.who === who && line.key === one.key);
		if (!same || rowsOf(same) !== rowsOf(one)) continue;
		return placeAfter(same, to.data.grid, rowsBefore(one, from.data.grid, x));
	}
	return null;
}

function runOf({ data: { lines } }) {
	const runs = new Set(lines.map(({ who }) => who));
	return inFocus() ?? (runs.size === 1 ? [...runs][0] : null);
}

/* Null where nothing says so. x: where the cursor is in `from`, of the run in focus, or the only one. */
export function placeIn(to, from, x) {
	if (!from.order || !from.data?.lines) return null;
	const who = runOf(from);
	if (isMetric(to)) return from.data.x === '_step' ? to.order.now().xAt?.(who, x) ?? null : null;
	if (isMetric(from)) return to.data.x === '_step' ? from.order.now().stepAt?.(who, x) ?? null : null;
	return byCount(from, to, { who, x });
}
