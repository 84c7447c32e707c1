/* Which rows are far from the others, and since when. Pure. */

import { medianOf } from '../base/median.js';

const FAR = 6; /* spreads from the median, lately */
const LEAST = 0.1; /* of the median */
const LEAST_OF = { '%': 10, W: 25, '°C': 8 }; /* and no less than so much, of which per cent go by that alone */
const LATELY = 0.1; /* of the columns that are filled */
const NORMAL = 1.4826; /* median distances in a standard deviation */
const SAMPLED = 256; /* rows, evenly among all, of which the middles of columns are */
const USUAL = 3; /* spreads of cells from their median, which are noise */
const CELLS = 20000; /* evenly among all, of which noise is estimated */
const BREAK = 3; /* values in succession: fewer that are like the others end nothing */

/* The median of its latest columns. */
export function lately(row, count) {
	const from = Math.max(0, count - Math.max(3, Math.ceil(count * LATELY)));
	const values = new Float64Array(count - from);
	let known = 0;
	for (let at = from; at < count; at++) if (!Number.isNaN(row.cells[at])) values[known++] = row.cells[at];
	return medianOf(values, known);
}

/* Rows that are far from the others lately: [{row, value, middle}], the furthest first. */
export function oddRows(rows, { count }, unit) {
	const values = rows.map((row) => lately(row, count));
	const there = values.filter((value) => !Number.isNaN(value));
	const middle = medianOf(Float64Array.from(there));
	const spread = NORMAL * medianOf(Float64Array.from(there, (value) => Math.abs(value - middle)));
	const least = Math.max(FAR * spread, LEAST_OF[unit] ?? 0, unit === '%' ? 0 : Math.abs(middle) * LEAST);
	return rows.map((row, at) => ({ row, value: values[at], middle, far: Math.abs(values[at] - middle) }))
		.filter(({ far }) => there.length > 2 && far > least).sort((a, b) => b.far - a.far);
}

/* Returns the difference from the median up to which a cell of a strip is noise. */
export function noiseOf({ rows, wide, middle }, unit) {
	const cells = rows.length * wide;
	const distances = [];
	for (let at = 0; at < cells; at += Math.max(1, Math.floor(cells / CELLS))) {
		const column = at % wide;
		const distance = Math.abs(rows[(at - column) / wide].cells[column] - middle[column]);
		if (!Number.isNaN(distance)) distances.push(distance);
	}
	return Math.max(LEAST_OF[unit] ?? 0, USUAL * NORMAL * medianOf(Float64Array.from(distances)) || 0);
}

/* The median of rows in each column, by the value that each had last. */
export function middlesOf(rows, count) {
	const apart = Math.ceil(rows.length / SAMPLED);
	const some = rows.filter((_, nth) => nth % apart === 0);
	const last = new Float64Array(some.length).fill(NaN);
	const room = new Float64Array(some.length);
	return Float64Array.from({ length: count }, (_, at) => {
		let known = 0;
		for (const [nth, { cells }] of some.entries()) {
			if (!Number.isNaN(cells[at])) last[nth] = cells[at];
			if (!Number.isNaN(last[nth])) room[known++] = last[nth];
		}
		return medianOf(room, known);
	});
}

/*
 * The column from which on the row has been odd: what it is now, it has been since then, but for a value or two. -1: in
 * all that it has; `count`: it is over.
 */
export function sinceOf(row, count, isOdd) {
	let [since, alike] = [count, 0];
	for (let at = count - 1; at >= 0 && alike < BREAK; at--) {
		if (Number.isNaN(row.cells[at])) continue;
		if (isOdd(row.cells[at], at)) [since, alike] = [at, 0];
		else alike++;
	}
	return since < count && !alike ? -1 : since;
}
