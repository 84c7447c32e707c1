/*
 * From an answer's columns, which hold the buckets that are filled, to lines with a place for each bucket of the grid:
 * null where the line breaks, undefined where it goes on over a place without rows. Rows that came since are added in
 * place; they were cut into other buckets and go where their first x lies.
 */

import { nearByRows, silenceOf, standing } from './silence.js';

const FEW = 3; /* distances: fewer say little of what is usual */
const BRIDGE = 5; /* buckets, or as many times the usual distance: longer silence is a gap */

function plainGrid({ x, from, to, buckets }, isLog) {
	if (from === null || to === null) return { from: 0, width: 1, count: 0, isLog };
	if (isLog) return { from: Math.log(from), width: Math.log(to / from) / buckets, count: to === from ? 1 : buckets,
		isLog };
	const row = x === '_step' ? 1 : 0;
	return { from, width: (to - from + row) / buckets, count: to === from && !row ? 1 : buckets, row };
}

/* One place more at both sides, which lie where `ends` says, however far that is. */
function withEnds(grid, ends, buckets) {
	const [low, high] = grid.isLog ? ends.map(Math.log) : ends;
	const width = grid.width || (high - low) / buckets;
	const row = grid.row ?? 0;
	return { ...grid, width, from: grid.from - width * (grid.width ? 1 : 1.5), count: grid.count + 2, pad: 1,
		ends: [ends[0], ends[1] + (grid.isLog ? 0 : row)] };
}

/*
 * {from, width, count, row}: of whole steps, of which a row takes one (`row`), each bucket is a share of (to - from + 1)
 * of them. Of a logarithmic axis (isLog) `from` and `width` are of logarithms. `ends`: from where to where was asked,
 * where lines go on to rows beside that; then there is a place more at each, and all others are one further (`pad`).
 */
export function gridOf(panel, isLog = false, ends = null) {
	if (!ends) return plainGrid(panel, isLog);
	const [from, to] = panel.from === null || panel.to === null ? ends : [panel.from, panel.to];
	return withEnds(plainGrid({ ...panel, from, to }, isLog), ends, panel.buckets);
}

/* Returns where bucket `at` is drawn: at its middle, or, if it is narrower than a row, at the row. */
export function placeOf(grid, at, isWhole) {
	if (grid.ends && (at === 0 || at === grid.count - 1)) return grid.ends[at ? 1 : 0];
	if (grid.isLog) return Math.exp(grid.from + (at + 0.5) * grid.width);
	if (isWhole && grid.width <= 1) return Math.ceil(grid.from + at * grid.width - 1e-9) + 0;
	return grid.from + (at + 0.5) * grid.width;
}

export function bucketAt(grid, x) {
	const along = grid.isLog ? Math.log(x) : x;
	return grid.width > 0 ? Math.max(0, Math.floor((along - grid.from) / grid.width + 1e-9)) : 0;
}

/* The x from which to which it reaches. */
export function endsOf(grid) {
	const ends = [grid.from, grid.from + grid.width * Math.max(1, grid.count)];
	return grid.isLog ? ends.map(Math.exp) : ends;
}

const NONE = { mean: null, min: null, max: null, n: 0, nan: 0, pinf: 0, ninf: 0, runs: 0, spread: null, x: null, xEnd: null };
export const FIELDS = Object.keys(NONE);

export function emptyLine(count) {
	return Object.fromEntries(FIELDS.map((name) => [name, new Array(count).fill(NONE[name])]));
}

function grow(line, count) {
	for (const name of FIELDS) while (line[name].length < count) line[name].push(NONE[name]);
}

export const known = (value) => Number.isNaN(value) || value === undefined ? null : value;
const lesser = (a, b) => a === null ? b : b === null ? a : Math.min(a, b);
const greater = (a, b) => a === null ? b : b === null ? a : Math.max(a, b);

function meanOf(line, at, mean, n) {
	if (mean === null) return line.mean[at];
	const before = line.n[at];
	return before && line.mean[at] !== null ? line.mean[at] + (mean - line.mean[at]) * (n / (before + n)) : mean;
}

function addOne(line, at, columns, i) {
	const n = columns.n[i];
	line.mean[at] = meanOf(line, at, known(columns.mean[i]), n);
	line.min[at] = lesser(line.min[at], known(columns.min[i]));
	line.max[at] = greater(line.max[at], known(columns.max[i]));
	line.n[at] += n;
	for (const name of ['nan', 'pinf', 'ninf']) line[name][at] += columns[name]?.[i] || 0;
	line.runs[at] = columns.runs?.[i] || 0;
	line.spread[at] = known(columns.std?.[i]);
	if (line.x[at] === null) line.x[at] = columns.x_first[i];
	line.xEnd[at] = greater(line.xEnd[at], known(columns.x_last?.[i]));
}

export function lineOf(grid, columns) {
	const line = emptyLine(grid.count);
	for (let i = 0; i < columns.at.length; i++) {
		const at = columns.at[i] + (grid.pad ?? 0);
		if (at < grid.count) addOne(line, at, columns, i);
	}
	return line;
}

function clearFrom(line, at) {
	for (const name of FIELDS) line[name].fill(NONE[name], at);
}

/* How many buckets there are up to the end of the last row of `columns`, which may lie behind its bucket's begin. */
function reachedBy({ from, width, row = 0 }, { x_last: lasts }) {
	const last = lasts?.[lasts.length - 1];
	return last === undefined || !width ? 0 : Math.ceil((last + row - from) / width - 1e-9);
}

/* The buckets from `edge` on are those of `columns` now; the grid reaches to the end of the last row of all. */
export function addSince(grid, line, edge, columns) {
	clearFrom(line, edge);
	for (let i = 0; i < columns.at.length; i++) {
		const at = Math.max(edge, bucketAt(grid, columns.x_first[i]));
		grow(line, at + 1);
		addOne(line, at, columns, i);
	}
	grid.count = Math.max(grid.count, line.mean.length, reachedBy(grid, columns));
}

export function lastFilled(line) {
	for (let at = line.x.length - 1; at >= 0; at--) if (line.x[at] !== null) return at;
	return -1;
}

function filledOf(values) {
	const filled = [];
	values.forEach((value, at) => value !== null && value !== undefined && filled.push(at));
	return filled;
}

/*
 * known: how far apart is usual by more than these, which are few where one has zoomed in far. reporters: who tell of the same,
 * each as often; what lies between two of one is usual, and of several at least so many of all are no less.
 */
function reachOf(filled, { apart: between, least }, { known, reporters = 1 }) {
	const apart = filled.slice(1).map((at, i) => between(filled[i], at)).sort((a, b) => a - b);
	const own = apart.length ? apart[Math.floor(apart.length * (1 - 1 / (2 * reporters)))] : 1;
	const usual = apart.length < FEW ? known ?? own : own;
	return BRIDGE * Math.max(least, usual);
}

/* A bucket of nothing but NaN or Inf breaks the line. */
function isBroken(line, from, to) {
	for (let at = from + 1; at < to; at++) if (line.nan[at] || line.pinf[at] || line.ninf[at]) return true;
	return false;
}

/*
 * {values, alone}: values with bridges, and the places of points with a gap on both sides. line.times: of columns, as
 * silence.js has them, line.beside as edges.js; isLog: of a logarithmic axis.
 */
export function bridged(line, count, isLog = false) {
	const values = line.mean.slice();
	while (values.length < count) values.push(null);
	const filled = filledOf(values);
	const { stands, usual, usualX } = line.beside ?? {};
	const silence = stands ? standing(stands) : silenceOf(line.times);
	const reach = reachOf(filled, silence, { known: usual, reporters: line.reporters });
	const byRows = isLog ? nearByRows(line, filled, { most: BRIDGE, few: FEW, known: usualX }) : () => false;
	const isNear = (from, to) => (silence.silent(from, to) <= reach || byRows(from, to)) && !isBroken(line, from, to);
	const joined = filled.map((at, i) => i > 0 && isNear(filled[i - 1], at));
	filled.forEach((at, i) => joined[i] && values.fill(undefined, filled[i - 1] + 1, at));
	return { values, alone: filled.filter((_, i) => !joined[i] && !joined[i + 1]) };
}
