/* How far from the middle of its column a cell is: the scale of a strip, and the text of a difference. */

import { number } from '../../base/format.js';

const LOOKED_AT = 20000; /* cells, among any number */

/* The greatest difference that the scale shows: what 98 % of the cells are within, of a few fixed sizes. */
export function fullScale({ rows, wide, middle }) {
	const cells = rows.length * wide;
	const far = [];
	for (let at = 0; at < cells; at += Math.max(1, Math.floor(cells / LOOKED_AT))) {
		const x = at % wide;
		const value = rows[(at - x) / wide].cells[x];
		if (middle[x] && !Number.isNaN(value)) far.push(Math.abs(value / middle[x] - 1));
	}
	const most = Float64Array.from(far).sort()[Math.floor(far.length * 0.98)] || 0;
	return [0.06, 0.18, 0.5, 1, 3, 10].find((size) => most <= size) || 10;
}

/*
 * The greatest value where the middle is 0, for nothing has a ratio to it; 0: there is no such column, or all are like
 * it.
 */
export function reachOf({ rows, wide, middle }) {
	const columns = Array.from({ length: wide }, (_, x) => x).filter((x) => middle[x] === 0);
	let most = 0;
	for (const { cells } of columns.length ? rows : []) {
		for (const x of columns) {
			const size = Math.abs(cells[x]);
			if (size > most && size < Infinity) most = size;
		}
	}
	return most;
}

/* With its sign; small numbers with one decimal place. */
export function percent(share) {
	const size = Math.abs(share) < 10 ? Math.round(Math.abs(share) * 10) / 10 : Math.round(Math.abs(share));
	return `${size === 0 ? '' : share > 0 ? '+' : '−'}${number(size)} %`;
}
