/* Rows in the order of columns, by their ranks: a counting sort each, the last key first. Equal rows keep their order. Pure. */

/* Descending, numbers still come before texts, and rows without a value last. */
function turned({ numbers, count }) {
	return (rank) => rank < numbers ? numbers - 1 - rank : rank < count ? numbers + count - 1 - rank : rank;
}

/* Sorts by ranks from 0 to `count`. */
export function countingSort(rows, rankOf, count) {
	const starts = new Uint32Array(count + 2);
	const ranks = new Uint32Array(rows.length);
	for (let at = 0; at < rows.length; at++) starts[(ranks[at] = rankOf(rows[at])) + 1]++;
	for (let rank = 0; rank <= count; rank++) starts[rank + 1] += starts[rank];
	const sorted = new Uint32Array(rows.length);
	for (let at = 0; at < rows.length; at++) sorted[starts[ranks[at]]++] = rows[at];
	return sorted;
}

/* keys: [{column, isDown}], the first counts most. */
export function sortRows(rows, keys) {
	return keys.toReversed().reduce((sorted, { column, isDown }) => {
		const { ranks } = column;
		const turn = isDown ? turned(ranks) : (rank) => rank;
		return countingSort(sorted, (row) => turn(ranks.of[row]), ranks.count);
	}, rows);
}
