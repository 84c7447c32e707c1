/* From rows to what a panel draws: a few as lines of their own; of more the median, the band of all, and who is odd. Pure. */

import { placeOf } from '../chart/buckets.js';
import { medianOf, middleOf } from './sheet.js';

export const FEW = 8; /* rows that have lines of their own */
const ODD_LINES = 4;
const FAR = 6; /* spreads from the median, lately */
const LEAST = 0.1; /* of the median, or of a hundred per cent */
const LATELY = 0.1; /* of the columns that are filled */
const NORMAL = 1.4826; /* median distances in a standard deviation */
const SLOTS = 8;

const known = (value) => Number.isNaN(value) ? null : value;

function countsOf(odd, count, name) {
	return Array.from({ length: count }, (_, at) => odd?.get(at)?.[name] || 0);
}

/* As lines.js draws them. */
function lineOf(who, { cells, low, high, odd, x }, grid) {
	const { count } = grid;
	const part = (column) => Array.from({ length: count }, (_, at) => known(column[at]));
	const mean = part(cells);
	const isThere = (at) => mean[at] !== null || Boolean(odd?.has(at));
	return {
		...who, who: who.id, isGroup: false, mean, min: part(low), max: part(high), n: mean.map((value) => value === null ? 0 : 1),
		nan: countsOf(odd, count, 'nan'), pinf: countsOf(odd, count, 'pinf'), ninf: countsOf(odd, count, 'ninf'),
		x: mean.map((_, at) => isThere(at) ? x?.[at] ?? placeOf(grid, at, false) : null),
	};
}

/* NaN and Inf of all rows. */
function joinedOdd(rows) {
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

/* The median of its latest columns. */
export function lately(row, count) {
	const from = Math.max(0, count - Math.max(3, Math.ceil(count * LATELY)));
	const values = row.cells.slice(from, count).filter((value) => !Number.isNaN(value));
	return medianOf(values);
}

/* Rows that are far from the others lately: [{row, value, middle}], the furthest first. */
export function oddRows(rows, { count }, unit) {
	const values = rows.map((row) => lately(row, count));
	const there = values.filter((value) => !Number.isNaN(value));
	const middle = medianOf(Float64Array.from(there));
	const spread = NORMAL * medianOf(Float64Array.from(there, (value) => Math.abs(value - middle)));
	const least = Math.max(FAR * spread, unit === '%' ? 100 * LEAST : Math.abs(middle) * LEAST);
	return rows.map((row, at) => ({ row, value: values[at], middle, far: Math.abs(values[at] - middle) }))
		.filter(({ far }) => there.length > 2 && far > least).sort((a, b) => b.far - a.far);
}

/* color: {slot, color} of the run; names: row to its name; the median of what is `stood` is named by `middleName`. */
export function systemLines(sheet, rows, { color, names, middleName, stood }) {
	const { grid, metric } = sheet;
	const own = (row, look) => lineOf({ id: row.id, name: names(row), ...look }, row, grid);
	if (rows.length <= FEW) return rows.map((row, at) => own(row, rows.length === 1 ? color : { slot: at % SLOTS }));
	const odd = oddRows(rows, grid, metric.unit).slice(0, ODD_LINES);
	const middle = { ...middleOf(stood, grid.count), odd: joinedOdd(rows), x: null };
	const slotOf = (at) => ((color.slot || 0) + at + 1) % SLOTS;
	return [lineOf({ id: '', name: middleName(rows.length), ...color }, middle, grid),
		...odd.map(({ row }, at) => own({ ...row, odd: null }, { slot: slotOf(at) }))]; /* the median has all marks */
}

/* The column from which on the row has been odd without a break: what it is now, it has been since then. */
export function sinceOf(row, count, isOdd) {
	let since = -1;
	for (let at = count - 1; at >= 0; at--) {
		if (Number.isNaN(row.cells[at])) continue;
		if (!isOdd(row.cells[at])) break;
		since = at;
	}
	return since;
}
