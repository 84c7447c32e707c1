/* Values of lines within the visible x. */

import { bucketAt } from '../data/buckets.js';

/* The first and the last place of the visible x. */
export function placesWithin(grid, [from, to]) {
	const pad = grid.pad ?? 0;
	return [Math.max(pad, bucketAt(grid, from)), Math.min(grid.count - 1 - pad, bucketAt(grid, to))];
}

/* Returns the drawn values of some lines within the visible x: those of their bands where shown, else of the lines. */
export function visible({ data: { grid }, widths }, ones, ends) {
	const [first, last] = placesWithin(grid, ends);
	const values = [];
	for (const { line, smooth } of ones) {
		const band = widths.get(line.id);
		for (const column of band ? [band.low, band.high] : [smooth]) {
			for (let at = first; at <= last && at < column.length; at++) {
				if (column[at] !== null && column[at] !== undefined) values.push(column[at]);
			}
		}
	}
	return values;
}
