/* Which rows are far from the others, and since when. Pure. */

import { medianOf } from './median.js';

const FAR = 6; /* spreads from the median, lately */
const LEAST = 0.1; /* of the median, or of a hundred per cent */
const LATELY = 0.1; /* of the columns that are filled */
const NORMAL = 1.4826; /* median distances in a standard deviation */

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
	const least = Math.max(FAR * spread, unit === '%' ? 100 * LEAST : Math.abs(middle) * LEAST);
	return rows.map((row, at) => ({ row, value: values[at], middle, far: Math.abs(values[at] - middle) }))
		.filter(({ far }) => there.length > 2 && far > least).sort((a, b) => b.far - a.far);
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
