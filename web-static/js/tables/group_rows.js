/* Rows that have the same values of some columns, as groups, and numbers over the rows of each. Pure. */

import { countingSort } from './sort_rows.js';

export const KEYS_MOST = 3;
export const GROUPS_MOST = 100000;
export const SUMS = ['mean', 'min', 'max', 'sum', 'std'];

/* Sorted by the keys, rows of one group are neighbours. */
function byKeys(rows, columns) {
	return columns.toReversed().reduce((sorted, { ranks }) => countingSort(sorted, (row) => ranks.of[row], ranks.count), rows);
}

/*
 * {columns: of the keys, sorted: the rows by group, starts: where each group begins, and the end, count, isCut: rows of
 * further groups are left out}. Groups are in the order of their keys' values.
 */
export function groupRows(rows, columns, most = GROUPS_MOST) {
	const sorted = byKeys(rows, columns);
	const starts = [];
	for (let at = 0; at < sorted.length; at++) {
		const isNew = !at || columns.some(({ ranks }) => ranks.of[sorted[at]] !== ranks.of[sorted[at - 1]]);
		if (!isNew) continue;
		if (starts.length === most) return { columns, sorted, starts: [...starts, at], count: most, isCut: true };
		starts.push(at);
	}
	return { columns, sorted, starts: [...starts, sorted.length], count: starts.length, isCut: false };
}

/* The values that the rows of a group share. */
export function keysOf({ columns, sorted, starts }, group) {
	return columns.map(({ values }) => values[sorted[starts[group]]]);
}

export const sizeOf = ({ starts }, group) => starts[group + 1] - starts[group];

function sumsOf(values, sorted, from, to) {
	let [count, mean, squares, sum, min, max] = [0, 0, 0, 0, Infinity, -Infinity];
	for (let at = from; at < to; at++) {
		const value = values[sorted[at]];
		if (typeof value !== 'number' || Number.isNaN(value)) continue;
		const off = value - mean;
		count++;
		sum += value;
		mean += off / count;
		squares += off * (value - mean);
		if (value < min) min = value;
		if (value > max) max = value;
	}
	return { count, mean, sum, min, max, std: count > 1 ? Math.sqrt(squares / (count - 1)) : null };
}

/* The number of different values of another column, and the value if there is one. */
function differentOf({ ranks, values }, sorted, from, to) {
	const seen = new Set();
	let [count, first] = [0, null];
	for (let at = from; at < to; at++) {
		const rank = ranks.of[sorted[at]];
		if (rank === ranks.count) continue;
		first ??= values[sorted[at]];
		count++;
		seen.add(rank);
	}
	return { count, different: seen.size, value: seen.size === 1 ? first : null };
}

/*
 * of(group, column): {count, mean, sum, min, max, std} of a column of numbers, {count, different, value} of another one.
 * Each is found once. NaN is in none of them.
 */
export function groupSums(groups) {
	const known = new Map();
	return function of(group, column) {
		if (!known.has(column)) known.set(column, []);
		const [from, to] = [groups.starts[group], groups.starts[group + 1]];
		return known.get(column)[group] ??= column.isNumeric
			? sumsOf(column.values, groups.sorted, from, to) : differentOf(column, groups.sorted, from, to);
	};
}

function sortable(sum, name) {
	const value = sum[name] ?? sum.different;
	return value === undefined || value === null || !sum.count ? null : value;
}

/*
 * The groups in the order of one column: of a key by its values, of another one by the sum of this name, 'count' by the
 * number of rows. Groups without a value are last.
 */
export function sortGroups(groups, { column, isDown, sum, of }) {
	const order = Uint32Array.from({ length: groups.count }, (_, at) => at);
	if (!column) return order;
	if (groups.columns.includes(column)) {
		const { ranks } = column;
		return sortBy(order, (group) => {
			const rank = ranks.of[groups.sorted[groups.starts[group]]];
			return rank === ranks.count ? null : rank;
		}, isDown);
	}
	return sortBy(order, column === 'count' ? (group) => sizeOf(groups, group) : (group) => sortable(of(group, column), sum), isDown);
}

function sortBy(order, valueOf, isDown) {
	const values = Array.from(order, valueOf);
	const way = isDown ? -1 : 1;
	return order.sort((a, b) => {
		if (values[a] === null || values[b] === null) return (values[a] === null) - (values[b] === null) || a - b;
		return way * (values[a] - values[b]) || a - b;
	});
}
