/*
 * From rows to what a panel draws: a few as lines of their own; of more the median, the band of all, and who is odd.
 * Pure.
 */

import { placeOf } from '../chart/buckets.js';

export const FEW = 8; /* rows that have lines of their own */
const ODD_LINES = 4;
const SLOTS = 8;

const known = (value) => Number.isNaN(value) ? null : value;

function countsOf(odd, count, name) {
	return Array.from({ length: count }, (_, at) => odd?.get(at)?.[name] || 0);
}

/* As lines.js draws them. */
function lineOf(who, { cells, low, high, odd, x }, { grid, x: along, times }) {
	const { count } = grid;
	const isWhole = along === '_step';
	const part = (column) => Array.from({ length: count }, (_, at) => known(column[at]));
	const mean = part(cells);
	const isThere = (at) => mean[at] !== null || Boolean(odd?.has(at));
	return {
		...who, who: who.id, isGroup: false, times, mean, min: part(low), max: part(high),
			n: mean.map((value) => value === null ? 0 : 1),
		nan: countsOf(odd, count, 'nan'), pinf: countsOf(odd, count, 'pinf'), ninf: countsOf(odd, count, 'ninf'),
		x: mean.map((_, at) => isThere(at) ? x?.[at] ?? placeOf(grid, at, isWhole) : null),
	};
}

/*
 * color: {slot, color} of the run; names: row to its name; reckoned: Statistics of the rows, their median is
 * `middleName`.
 */
export function systemLines(sheet, rows, { color, names, middleName, reckoned }) {
	const own = (row, look) => lineOf({ id: row.id, name: names(row), ...look }, row, sheet);
	if (rows.length <= FEW) return rows.map((row, at) => own(row, rows.length === 1 ? color : { slot: at % SLOTS }));
	const odd = reckoned.odd.slice(0, ODD_LINES);
	const middle = { ...reckoned.middle, odd: reckoned.marks, x: null };
	const slotOf = (at) => ((color.slot || 0) + at + 1) % SLOTS;
	return [lineOf({ id: '', name: middleName(rows.length), ...color }, middle, sheet),
		...odd.map(({ row }, at) => own({ ...row, odd: null }, { slot: slotOf(at) }))]; /* the median has all marks */
}
