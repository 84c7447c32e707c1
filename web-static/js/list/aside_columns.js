/* Columns of a list next to a run: only those that there is room for, so that no number is cut at the edge. */

import { columnWidth } from './model/columns.js';

const NAME = 150;
const EDGES = 12 + 24; /* padding and menu */
const AGE = 60;

/* columns(): all of them; changed(): others fit now. */
export function asideColumns(grid, columns, changed) {
	let width = 0;

	/* Returns {columns, hasAge}; before the list is seen, only the name. */
	function fitting() {
		let room = width - NAME - EDGES;
		const all = columns();
		const past = all.findIndex((column) => (room -= columnWidth(column)) < 0);
		return past < 0 ? { columns: all, hasAge: room >= AGE } : { columns: all.slice(0, past), hasAge: false };
	}

	const essence = () => JSON.stringify(fitting());

	const sizes = new ResizeObserver(() => {
		const before = essence();
		width = grid.clientWidth;
		if (essence() !== before) changed();
	});

	sizes.observe(grid);
	return { fitting, stop: () => sizes.disconnect() };
}
