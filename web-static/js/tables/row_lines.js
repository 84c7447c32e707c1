/* The lines of the grid: rows, or groups with the rows of those that are open below them. Pure. */

import { sizeOf } from './group_rows.js';

/* {count, at(line): {row}} */
export function plainLines(rows) {
	return { count: rows.length, at: (line) => ({ kind: 'row', row: rows[line], depth: 0 }) };
}

/* order: of the groups; rowsOf(group): its rows, sorted; isOpen(group). {count, at(line): {kind, group, row, depth}, lineOf(group)} */
export function groupLines(groups, { order, rowsOf, isOpen }) {
	const starts = new Uint32Array(order.length + 1);
	order.forEach((group, at) => { starts[at + 1] = starts[at] + 1 + (isOpen(group) ? sizeOf(groups, group) : 0); });

	function placeOf(line) {
		let [low, high] = [0, order.length - 1];
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (starts[middle] <= line) low = middle;
			else high = middle - 1;
		}
		return low;
	}

	return {
		count: starts[order.length],
		at(line) {
			const place = placeOf(line);
			const group = order[place];
			if (line === starts[place]) return { kind: 'group', group, depth: 0 };
			return { kind: 'row', row: rowsOf(group)[line - starts[place] - 1], group, depth: 1 };
		},
		lineOf: (group) => starts[order.indexOf(group)],
	};
}
