/*
 * The rows of a metric on one grid of time: a row for each device of a host, or for each process. Columns without a
 * value are NaN. Rows that arrive later are put in place, and `edges` has the columns from which on they were. Pure.
 */

import { bucketAt, gridOf } from '../chart/data/buckets.js';
import { byName } from '../chart/panel/sections.js';

const LONGER = 1.5; /* times the buckets asked for, from which on the grid is made again */
const ODD = ['nan', 'pinf', 'ninf'];
const SLICE = 64; /* series that are put in place at once */

const nothing = () => ({ at: -1, x: NaN, mean: NaN, low: NaN, high: NaN, n: 0, nan: 0, pinf: 0, ninf: 0 });

/*
 * Entries of the columns within one bucket of ours, as one, which take(one) is given; it is overwritten for the
 * next.
 */
function regroup(columns, times, placed, take) {
	const hasOdd = ODD.some((name) => columns[name]);
	let one = nothing();
	for (let i = 0; i < columns.at.length; i++) {
		const at = placed(i);
		if (at !== one.at) {
			if (one.at >= 0) take(one);
			begin(one, at, columns.x_first[i]);
		}
		if (hasOdd) for (const name of ODD) one[name] += columns[name]?.[i] || 0;
		addEntry(one, columns, i, times);
	}
	if (one.at >= 0) take(one);
}

function begin(one, at, x) {
	one.at = at;
	one.x = x;
	one.mean = one.low = one.high = NaN;
	one.n = one.nan = one.pinf = one.ninf = 0;
}

function addEntry(one, columns, i, times) {
	const mean = columns.mean[i] * times;
	if (Number.isNaN(mean)) return;
	const n = columns.n ? columns.n[i] : 1;
	const low = columns.min ? columns.min[i] * times : mean;
	const high = columns.min ? columns.max[i] * times : mean;
	one.mean = one.n ? one.mean + (mean - one.mean) * (n / (one.n + n)) : mean;
	one.low = one.n ? Math.min(one.low, low) : low;
	one.high = one.n ? Math.max(one.high, high) : high;
	one.n += n;
}

/* Without least and greatest, as of very many rows, the values are their own, and no row keeps its times. */
function emptyRow(who, size, columns) {
	const column = () => new Float64Array(size).fill(NaN);
	const cells = column();
	const [low, high, x] = columns.min ? [column(), column(), column()] : [cells, cells, null];
	return { ...who, cells, low, high, x, odd: new Map(), last: -1 };
}

function put(row, one) {
	const { at, nan, pinf, ninf } = one;
	row.cells[at] = one.mean;
	if (row.x) {
		row.low[at] = one.low;
		row.high[at] = one.high;
		row.x[at] = one.x;
	}
	if (nan || pinf || ninf) row.odd.set(at, { nan, pinf, ninf });
	else if (row.odd.size) row.odd.delete(at);
	if (at > row.last) row.last = at;
}

const isThere = (row, at) => !Number.isNaN(row.cells[at]) || (row.odd.size > 0 && row.odd.has(at));

/* The rows before and behind what is zoomed to (zoom_sides.js). */
function lieBeside(row, piece, times) {
	for (const side of ['before', 'after']) {
		const beside = piece[side];
		if (beside) row[side] ??= { ...beside, value: beside.value * times };
	}
}

/* hosts: label to host. A series is of a host, or of a label. */
function whoOf(piece, metric, hosts) {
	const { device } = metric.keys.find((one) => one.key === piece.key);
	const host = piece.host ?? hosts.get(piece.label) ?? '';
	const place = piece.host ?? piece.label;
	return { id: JSON.stringify([place, device]), place, host, label: piece.label ?? '', device, section: metric.section };
}

/*
 * {metric, grid, x, aside, times, size, rows, edges}, aside: {before, after} in seconds, what has no place on x; times:
 * of columns, as silence.js has them; two series of one row, as of a process that was started again, complete each
 * other. Made in pieces: what the last gives is the sheet.
 */
export function* sheetInPieces(answer, metric, hosts) {
	const grid = gridOf(answer.panel);
	const size = Math.ceil(answer.panel.buckets * LONGER) + 1;
	const rows = new Map();
	for (const [nth, piece] of answer.series.entries()) {
		const who = whoOf(piece, metric, hosts);
		if (!rows.has(who.id)) rows.set(who.id, emptyRow(who, size, piece.columns));
		const row = rows.get(who.id);
		const { at } = piece.columns;
		regroup(piece.columns, metric.times, (i) => at[i], (one) => isThere(row, one.at) || put(row, one));
		lieBeside(row, piece, metric.times);
		if (nth % SLICE === SLICE - 1) yield;
	}
	const { x, without_step: aside, times } = answer.panel;
	return { metric, grid, x, aside, times, size, rows: yield* inOrder(rows), edges: [] };
}

/* Names to their places in order; what is the same to who reads it has the same. */
function ranksOf(names) {
	const ranks = new Map();
	let before;
	for (const name of [...new Set(names)].sort(byName)) {
		ranks.set(name, before !== undefined && byName(before, name) === 0 ? ranks.get(before) : ranks.size);
		before = name;
	}
	return ranks;
}

/* By host, place and device. Of thousands of rows it is comparing names that takes long: each is looked at once. */
function* inOrder(rows) {
	const all = [...rows.values()];
	const ranks = [];
	for (const name of ['host', 'place', 'device']) {
		ranks.push([name, ranksOf(all.map((row) => row[name]))]);
		if (all.length > SLICE) yield;
	}
	return all.sort((a, b) => {
		for (const [name, rank] of ranks) {
			const apart = rank.get(a[name]) - rank.get(b[name]);
			if (apart) return apart;
		}
		return 0;
	});
}

export function sheetOf(answer, metric, hosts) {
	const pieces = sheetInPieces(answer, metric, hosts);
	for (;;) {
		const { done, value } = pieces.next();
		if (done) return value;
	}
}

/* The first bucket of those that are asked for again: the last of all, and some before it. */
export function edgeOf(sheet, { buckets, seconds }) {
	const last = sheet.rows.reduce((most, row) => Math.max(most, row.last), -1);
	const back = sheet.grid.width > 0 ? Math.ceil(seconds / sheet.grid.width) : 0;
	return Math.max(0, last - Math.max(buckets, Math.min(back, sheet.grid.count)));
}

/*
 * Puts an answer into the sheet from the edge on. For a rate, the first bucket of the answer does not include what came
 * before it, and the old bucket stays. Returns false if the whole sheet must be requested again.
 */
export function grow(sheet, answer, edge, hosts) {
	const { grid, metric, rows, size } = sheet;
	const byId = new Map(rows.map((row) => [row.id, row]));
	const pieces = answer.series.map((piece) => ({ columns: piece.columns,
		row: byId.get(whoOf(piece, metric, hosts).id) }));
	if (!grid.width) return false; /* one place has no buckets */
	const placed = ({ x_first: x }) => (i) => Math.max(edge, bucketAt(grid, x[i]));
	if (!pieces.every(({ row, columns }) => row && placed(columns)(columns.at.length - 1) < size)) return false;
	sheet.edges.push(edge);
	for (const { row, columns } of pieces) {
		regroup(columns, metric.times, placed(columns), (one) => (one.at > edge || !metric.isRate) && put(row, one));
		grid.count = Math.max(grid.count, row.last + 1);
	}
	return true;
}

/* ---- of rows ---- */

/* The last value of a row, of the columns from `from` on. */
export function lastOf(row, from = 0) {
	for (let at = row.last; at >= from; at--) if (!Number.isNaN(row.cells[at])) return row.cells[at];
	return NaN;
}

/* As extentOf, with what lines come in from and go out to, if the user has zoomed in. */
export function extentSeen(rows, from, to) {
	const beside = rows.flatMap(({ before, after }) => [before, after]).filter(Boolean).map(({ value }) => value);
	const [low, high] = extentOf(rows, from, to);
	return [Math.min(low, ...beside), Math.max(high, ...beside)];
}

/* [least, greatest] of rows within the columns; [Infinity, -Infinity] when there is nothing. */
export function extentOf(rows, from, to) {
	let [low, high] = [Infinity, -Infinity];
	for (const row of rows) {
		for (let at = from; at <= to; at++) {
			if (row.low[at] < low) low = row.low[at];
			if (row.high[at] > high) high = row.high[at];
		}
	}
	return [low, high];
}
