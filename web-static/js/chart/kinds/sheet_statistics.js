/*
 * Statistics as /ranks returns them for a key, computed for other measures of ranks: the middle of each column, and for
 * each label its distance from the middle in spreads, and the share of its time in which that is more than noise. Pure.
 */

import { medianOf } from '../../base/median.js';

const FAR = 3; /* spreads, as the server counts */
const NORMAL_SPREAD = 1.4826;

/* {median, spread} of each column; NaN if no row has a value. */
function columnsOf(rows, wide) {
	const room = new Float64Array(rows.length);
	return Array.from({ length: wide }, (_, at) => {
		let known = 0;
		for (const cells of rows) if (!Number.isNaN(cells[at])) room[known++] = cells[at];
		const median = medianOf(room, known);
		for (let i = 0; i < known; i++) room[i] = Math.abs(room[i] - median);
		return { median, spread: NORMAL_SPREAD * medianOf(room, known) };
	});
}

/* If all the others agree, the distance of any other value is infinite. */
function distance(value, { median, spread }, side) {
	const apart = side === 'low' ? median - value : value - median;
	if (apart === 0) return 0;
	return spread > 0 ? apart / spread : Math.sign(apart) * Infinity;
}

function labelOf([label, cells], columns, side) {
	const places = [...cells.keys()].filter((at) => !Number.isNaN(cells[at]));
	const apart = Float64Array.from(places, (at) => distance(cells[at], columns[at], side));
	const slow = apart.filter((far) => far > FAR).length;
	return { label, far: places.length ? medianOf(apart) : 0, slow: places.length ? slow / places.length : 0,
		values: Array.from(cells, (value) => Number.isNaN(value) ? null : value) };
}

/* cells: by label, all as wide. The answer that ranks.js makes a sheet of. */
export function measured({ cells, from, width, wide }, side) {
	const columns = columnsOf([...cells.values()], wide);
	const labels = [...cells].map((row) => labelOf(row, columns, side));
	const filled = [...columns.keys()].filter((at) => !Number.isNaN(columns[at].median));
	return {
		columns: filled.map((at) => ({ at, median: columns[at].median, x_first: from + at * width,
			x_last: from + (at + 1) * width })),
		labels: labels.map((row) => ({ ...row, values: filled.map((at) => row.values[at]) })),
	};
}
