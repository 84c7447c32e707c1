/*
 * From rows to what a panel draws: a few as lines of their own; of more the median, the band of all, and the odd rows.
 * Pure.
 */

import { HUES } from '../base/slot.js';
import { gridOf, placeOf } from '../chart/data/buckets.js';

export const FEW = 8; /* rows that have lines of their own */
const ODD_LINES = 4;

const known = (value) => Number.isNaN(value) ? null : value;

/* That lines lie on: where they go on to rows beside what is zoomed to it has a place more at both sides. */
export function gridOfLines({ grid, panel, ends }) {
	return ends ? gridOf(panel, false, ends) : grid;
}

/* The row next to the zoomed range, for a metric that several processes report. */
const nextTo = (row, reporters) => row ? { ...row, usual: row.usual * reporters } : null;

/* As lines.js draws them. */
function lineOf(who, { cells, low, high, odd, x, before, after }, { grid, x: along, times }) {
	const pad = grid.pad ?? 0;
	const isWhole = along === '_step';
	const part = (column) => Array.from({ length: grid.count }, (_, at) => known(column[at - pad] ?? NaN));
	const mean = part(cells);
	const marks = (name) => Array.from({ length: grid.count }, (_, at) => odd?.get(at - pad)?.[name] || 0);
	const isThere = (at) => mean[at] !== null || Boolean(odd?.has(at - pad));
	return {
		...who, who: who.id, isGroup: false, times, mean, min: part(low), max: part(high),
		n: mean.map((value) => value === null ? 0 : 1),
		nan: marks('nan'), pinf: marks('pinf'), ninf: marks('ninf'),
		x: mean.map((_, at) => isThere(at) ? x?.[at - pad] ?? placeOf(grid, at, isWhole) : null),
		before: nextTo(before, who.reporters), after: nextTo(after, who.reporters),
	};
}

/* A row a place has its colour; of the devices of one each has another. */
function slotsOf(rows, slotOf) {
	const isRowEach = new Set(rows.map(({ place }) => place)).size === rows.length;
	return rows.map((row, at) => isRowEach ? slotOf(row) : at % HUES);
}

/*
 * color: {slot, color} of the run; slotOf, reportersOf: of system_page.js; names: row to its name; reckoned: Statistics of
 * the rows, their median is `middleName`.
 */
export function systemLines(sheet, rows, { color, slotOf, reportersOf, names, middleName, reckoned }) {
	const grid = gridOfLines(sheet);
	const own = (row, look) => lineOf({ id: row.id, name: names(row), reporters: reportersOf(row), ...look }, row, { ...sheet, grid });
	if (rows.length === 1 && sheet.rows.length === 1) return [own(rows[0], color)];
	if (rows.length <= FEW) return slotsOf(rows, slotOf).map((slot, at) => own(rows[at], { slot }));
	const odd = reckoned.odd.slice(0, ODD_LINES);
	const middle = { ...reckoned.middle, odd: reckoned.marks, x: null };
	const oddSlot = (at) => ((color.slot || 0) + at + 1) % HUES;
	return [lineOf({ id: '', name: middleName(rows.length), reporters: 1, ...color }, middle, { ...sheet, grid }),
		...odd.map(({ row }, at) => own({ ...row, odd: null }, { slot: oddSlot(at) }))]; /* the median has all marks */
}
