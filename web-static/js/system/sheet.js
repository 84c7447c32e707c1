/*
 * The rows of a metric on one grid of time: a row for each device of a host, or for each process. Columns without a value
 * are NaN. Rows that came since are put in place. Pure.
 */

import { bucketAt, gridOf } from '../chart/buckets.js';
import { byName } from '../chart/sections.js';

const LONGER = 1.5; /* times the buckets asked for, from which on the grid is cut anew */
const ODD = ['nan', 'pinf', 'ninf'];

/* Entries of the columns that lie in one bucket of ours, as one: {at, x, mean, low, high, n, nan, pinf, ninf}. */
function* regrouped(columns, times, placed) {
	let one = null;
	for (let i = 0; i < columns.at.length; i++) {
		const at = placed(i);
		if (one && at !== one.at) {
			yield one;
			one = null;
		}
		one ??= { at, x: columns.x_first[i], mean: NaN, low: NaN, high: NaN, n: 0, nan: 0, pinf: 0, ninf: 0 };
		addEntry(one, columns, i, times);
	}
	if (one) yield one;
}

function addEntry(one, columns, i, times) {
	for (const name of ODD) one[name] += columns[name]?.[i] || 0;
	const mean = columns.mean[i] * times;
	if (Number.isNaN(mean)) return;
	const n = columns.n?.[i] ?? 1;
	const [low, high] = columns.min ? [columns.min[i] * times, columns.max[i] * times] : [mean, mean];
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
	row.cells[one.at] = one.mean;
	if (row.x) [row.low[one.at], row.high[one.at], row.x[one.at]] = [one.low, one.high, one.x];
	if (ODD.some((name) => one[name])) row.odd.set(one.at, { nan: one.nan, pinf: one.pinf, ninf: one.ninf });
	else row.odd.delete(one.at);
	row.last = Math.max(row.last, one.at);
}

const isThere = (row, at) => !Number.isNaN(row.cells[at]) || row.odd.has(at);

/* hosts: label to host. A series is of a host, or of a label. */
function whoOf(piece, metric, hosts) {
	const { device } = metric.keys.find((one) => one.key === piece.key);
	const host = piece.host ?? hosts.get(piece.label) ?? '';
	const place = piece.host ?? piece.label;
	return { id: JSON.stringify([place, device]), place, host, label: piece.label ?? '', device };
}

/* {metric, grid, x, buckets, rows}; two series of one row, as of a process that was started again, complete each other. */
export function sheetOf(answer, metric, hosts) {
	const grid = gridOf(answer.panel);
	const size = Math.ceil(answer.panel.buckets * LONGER) + 1;
	const rows = new Map();
	for (const piece of answer.series) {
		const who = whoOf(piece, metric, hosts);
		if (!rows.has(who.id)) rows.set(who.id, emptyRow(who, size, piece.columns));
		const row = rows.get(who.id);
		for (const one of regrouped(piece.columns, metric.times, (i) => piece.columns.at[i])) if (!isThere(row, one.at)) put(row, one);
	}
	const inOrder = (a, b) => byName(a.host, b.host) || byName(a.place, b.place) || byName(a.device, b.device);
	return { metric, grid, x: answer.panel.x, size, rows: [...rows.values()].sort(inOrder) };
}

/* The first bucket of those that are asked for again: the last of all, and some before it. */
export function edgeOf(sheet, { buckets, seconds }) {
	const last = Math.max(-1, ...sheet.rows.map((row) => row.last));
	const back = sheet.grid.width > 0 ? Math.ceil(seconds / sheet.grid.width) : 0;
	return Math.max(0, last - Math.max(buckets, Math.min(back, sheet.grid.count)));
}

/*
 * What lies behind the edge is put in place. Of a rate the first bucket of an answer knows nothing of what was before it, and
 * stays as it was. False: the sheet has to be asked for anew.
 */
export function grow(sheet, answer, edge, hosts) {
	const { grid, metric, rows, size } = sheet;
	const byId = new Map(rows.map((row) => [row.id, row]));
	const pieces = answer.series.map((piece) => ({ columns: piece.columns, row: byId.get(whoOf(piece, metric, hosts).id) }));
	if (!grid.width) return false; /* one place has no buckets */
	const placed = ({ x_first: x }) => (i) => Math.max(edge, bucketAt(grid, x[i]));
	if (!pieces.every(({ row, columns }) => row && placed(columns)(columns.at.length - 1) < size)) return false;
	for (const { row, columns } of pieces) {
		for (const one of regrouped(columns, metric.times, placed(columns))) if (one.at > edge || !metric.isRate) put(row, one);
		grid.count = Math.max(grid.count, row.last + 1);
	}
	return true;
}

/* ---- across rows ---- */

/* Twice as many columns as there usually are from one value to the next: who is silent for longer is silent. */
function reachOf(cells, count) {
	const apart = new Uint16Array(count);
	let known = 0;
	let before = -1;
	for (let at = 0; at < count; at++) {
		if (Number.isNaN(cells[at])) continue;
		if (before >= 0) apart[known++] = at - before;
		before = at;
	}
	return 2 * (medianOf(apart, known) || 1);
}

function carried(column, count, reach) {
	const made = column.slice(0, count);
	let from = -Infinity;
	for (let at = 0; at < count; at++) {
		if (!Number.isNaN(column[at])) from = at;
		else if (at - from < reach) made[at] = made[at - 1];
	}
	return made;
}

/*
 * The row with its values standing until the next one comes: processes send at times of their own, and only so can what they
 * have at one time be compared.
 */
export function standing(row, count) {
	const reach = reachOf(row.cells, count);
	const cells = carried(row.cells, count, reach);
	if (!row.x) return { ...row, cells, low: cells, high: cells };
	return { ...row, cells, low: carried(row.low, count, reach), high: carried(row.high, count, reach) };
}

/* The k-th least of the first `count` numbers, which change their places. */
function select(numbers, count, k) {
	let [low, high] = [0, count - 1];
	while (low < high) {
		const pivot = numbers[(low + high) >> 1];
		let [i, j] = [low, high];
		while (i <= j) {
			while (numbers[i] < pivot) i++;
			while (numbers[j] > pivot) j--;
			if (i > j) break;
			const other = numbers[i]; /* plainly: this is what takes long */
			numbers[i++] = numbers[j];
			numbers[j--] = other;
		}
		if (k <= j) high = j;
		else if (k >= i) low = i;
		else break;
	}
	return numbers[k];
}

export function medianOf(numbers, count = numbers.length) {
	if (!count) return NaN;
	const upper = select(numbers, count, count >> 1);
	return count % 2 ? upper : (upper + select(numbers, count, (count >> 1) - 1)) / 2;
}

/* {cells, low, high}: the median of rows that stand in each column, the least and the greatest of all. */
export function middleOf(rows, count) {
	const empty = () => new Float64Array(count).fill(NaN);
	const made = { cells: empty(), low: empty(), high: empty() };
	const room = new Float64Array(rows.length);
	for (let at = 0; at < count; at++) {
		let known = 0;
		let [low, high] = [Infinity, -Infinity];
		for (const row of rows) {
			if (Number.isNaN(row.cells[at])) continue;
			room[known++] = row.cells[at];
			if (row.low[at] < low) low = row.low[at];
			if (row.high[at] > high) high = row.high[at];
		}
		if (known) [made.cells[at], made.low[at], made.high[at]] = [medianOf(room, known), low, high];
	}
	return made;
}

/* The last value of a row, of the columns from `from` on. */
export function lastOf(row, from = 0) {
	for (let at = row.last; at >= from; at--) if (!Number.isNaN(row.cells[at])) return row.cells[at];
	return NaN;
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
