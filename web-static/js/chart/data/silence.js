/*
 * How far columns are from each other, and how much of that is certainly silence: in columns, or, where columns are
 * stretches of time of their own as those of steps are, in seconds; or by their rows. Pure.
 */

const COLUMNS = { apart: (from, to) => to - from, silent: (from, to) => to - from, least: 1 };

/* times: when each column begins, and the last one ends; undefined where all are alike. */
export function silenceOf(times) {
	if (!times) return COLUMNS;
	return {
		apart: (from, to) => (times[to] + times[to + 1] - times[from] - times[from + 1]) / 2,
		silent: (from, to) => Math.max(0, times[to] - times[from + 1]),
		least: 0,
	};
}

/* Measures distances if columns represent other places: stands(column) returns the place, in columns. */
export function standing(stands) {
	const apart = (from, to) => stands(to) - stands(from);
	return { apart, silent: apart, least: 1 };
}

/*
 * Columns of a logarithm: many lie between the first two steps, and a later one holds many. So also by what one row
 * takes of x: gives whether the silence between two columns, of those that are filled, is no more than `most` usual
 * rows. known: what is usual by more than these, where they are `few`.
 */
export function nearByRows({ x, n, nan, pinf, ninf, runs = [] }, filled, { most, few, known }) {
	const rows = (at) => Math.max(1, (n[at] + nan[at] + pinf[at] + ninf[at]) / (runs[at] || 1));
	const each = filled.slice(1).map((at, i) => (x[at] - x[filled[i]]) / rows(filled[i])).sort((a, b) => a - b);
	const own = each[Math.floor(each.length / 2)];
	const usual = each.length < few ? known ?? own : own;
	return (from, to) => x[to] - x[from] <= (rows(from) - 1 + most) * usual;
}
