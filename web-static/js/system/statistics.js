/*
 * Statistics over many rows of a sheet. Processes send at times of their own, so a row keeps each value until the next
 * one comes: only then are values at one time comparable. Statistics are the median, least and greatest value of each
 * column, and the odd rows. They are kept: when more data comes, only the columns that changed are computed again. They
 * are computed in pieces, so that a page with thousands of rows stays responsive. Pure.
 */

import { medianOf } from '../base/median.js';
import { silenceOf } from '../chart/data/silence.js';
import { oddRows } from './odd_rows.js';
import { extentOf } from './sheet.js';

const ROWS = 256; /* whose values are carried forward at once */
const COLUMNS = 16; /* whose medians are found at once */

/* The same where columns have times of their own: twice the seconds. */
function reachInTime(cells, count, { times, apart }) {
	const between = new Float64Array(count);
	let [known, before] = [0, -1];
	for (let at = 0; at < count; at++) {
		if (cells[at] !== cells[at]) continue; /* NaN */
		if (before >= 0) between[known++] = apart(before, at);
		before = at;
	}
	return 2 * (known ? medianOf(between, known) : (times[count] - times[0]) / count);
}

/* Twice as many columns as there usually are from one value to the next: a row without a value for longer is silent. */
function reachOf(cells, count, apart) {
	let [known, before, most] = [0, -1, 0];
	for (let at = 0; at < count; at++) {
		if (cells[at] !== cells[at]) continue; /* NaN */
		if (before >= 0) {
			known++;
			apart[at - before]++;
			if (at - before > most) most = at - before;
		}
		before = at;
	}
	const reach = known ? nthApart(apart, known >> 1) + nthApart(apart, (known - 1) >> 1) : 2;
	apart.fill(0, 0, most + 1);
	return reach;
}

/* apart: how often each distance is there. */
function nthApart(apart, nth) {
	let [at, before] = [0, 0];
	while (before + apart[at] <= nth) before += apart[at++];
	return at;
}

/* Writes the column as it stands, and gives the first place of those that are others than before, or `count`. */
function stand(column, stood, { count, reach, from, silent }) {
	let first = count;
	let last = from - 1;
	while (last >= 0 && column[last] !== column[last] && silent(last, from) < reach) last--;
	let value = last >= 0 ? column[last] : NaN;
	for (let at = from; at < count; at++) {
		const own = column[at];
		if (own === own) {
			last = at;
			value = own;
		}
		const next = last === at || (value === value && silent(last, at) < reach) ? value : NaN;
		if (!Object.is(next, stood[at])) {
			stood[at] = next;
			if (first === count) first = at;
		}
	}
	return first;
}

/* NaN and Inf of all rows. */
function marksOf(rows) {
	const all = new Map();
	for (const row of rows) {
		for (const [at, counts] of row.odd) {
			const sum = all.get(at) || { nan: 0, pinf: 0, ninf: 0 };
			for (const name of Object.keys(sum)) sum[name] += counts[name];
			all.set(at, sum);
		}
	}
	return all;
}

/*
 * Medians of the columns from `from` to `to`, their least and greatest. What rows have there is laid out column by
 * column first: to read each column through all rows would be to wait for memory.
 */
function middle(made, rows, { from, to, room }) {
	const known = new Uint32Array(to - from);
	for (const { cells } of rows) {
		for (let at = from; at < to; at++) {
			const value = cells[at];
			if (value === value) room[(at - from) * rows.length + known[at - from]++] = value;
		}
	}
	for (let at = from; at < to; at++) {
		const column = room.subarray((at - from) * rows.length);
		made.cells[at] = medianOf(column, known[at - from]);
	}
	ends(made, rows, from, to);
}

/* NaN is neither less nor greater. */
function ends({ low, high }, rows, from, to) {
	low.fill(Infinity, from, to);
	high.fill(-Infinity, from, to);
	for (const row of rows) {
		const [lows, highs] = [row.low, row.high];
		for (let at = from; at < to; at++) {
			if (lows[at] < low[at]) low[at] = lows[at];
			if (highs[at] > high[at]) high[at] = highs[at];
		}
	}
	for (let at = from; at < to; at++) if (low[at] > high[at]) low[at] = high[at] = NaN;
}

const column = (size) => new Float64Array(size).fill(NaN);

/* A row with its values standing: those of what is before, and columns of its own. */
function stoodRow(row, size) {
	const cells = column(size);
	return { row, cells, low: row.x ? column(size) : cells, high: row.x ? column(size) : cells, reach: 0 };
}

/*
 * stood: [{row, cells, low, high}]; middle: {cells, low, high}; odd: as oddRows has it; marks: NaN and Inf, by column.
 */
export class Statistics {
	constructor(sheet, rows) {
		Object.assign(this, { sheet, rows, stood: [], middle: null, odd: [], marks: new Map() });
		this.seen = -1; /* how many edges of the sheet are in it */
		this.pieces = null;
	}

	isOf(sheet, rows) {
		return this.sheet === sheet && this.rows.length === rows.length && this.rows.every((row, at) => row === rows[at]);
	}

	/* Returns the extent of all columns. Values that rows keep occurred before, so they do not widen it. */
	extent() {
		return extentOf([this.middle], 0, this.sheet.grid.count - 1);
	}

	isDone(sheet) {
		return this.sheet === sheet && this.seen === sheet.edges.length;
	}

	/* Goes on for so long. True: all is in it that came. */
	reckon(ms = Infinity) {
		const end = performance.now() + ms;
		while (this.seen < this.sheet.edges.length) {
			this.pieces ||= this.inPieces();
			if (this.pieces.next().done) this.pieces = null;
			else if (performance.now() >= end) return false;
		}
		return true;
	}

	* inPieces() {
		const { edges, grid: { count }, metric } = this.sheet;
		const news = edges.slice(Math.max(0, this.seen));
		const seen = edges.length;
		const first = yield* this.stand(this.seen < 0 ? 0 : Math.min(...news), count);
		yield* this.middles(first, count);
		this.odd = oddRows(this.rows, { count }, metric.unit);
		this.marks = marksOf(this.rows);
		this.seen = seen;
	}

	/* Gives the first column that is another one. */
	* stand(edge, count) {
		const { size, times } = this.sheet;
		const apart = new Uint32Array(size + 1);
		const silence = silenceOf(times);
		let first = count;
		for (const [at, row] of this.rows.entries()) {
			this.stood[at] ||= stoodRow(row, size);
			const one = this.stood[at];
			const reach = times ? reachInTime(row.cells, count, { times, ...silence }) : reachOf(row.cells, count, apart);
			const from = reach === one.reach ? edge : 0;
			one.reach = reach;
			for (const name of row.x ? ['cells', 'low', 'high'] : ['cells']) {
				first = Math.min(first, stand(row[name], one[name], { count, reach, from, silent: silence.silent }));
			}
			if (at % ROWS === ROWS - 1) yield;
		}
		return first;
	}

	* middles(first, count) {
		this.middle ||= { cells: column(this.sheet.size), low: column(this.sheet.size), high: column(this.sheet.size) };
		const room = new Float64Array(COLUMNS * this.rows.length);
		for (let from = first; from < count; from += COLUMNS) {
			middle(this.middle, this.stood, { from, to: Math.min(count, from + COLUMNS), room });
			yield;
		}
	}
}
