/* The distribution of a column's values over some rows, for its head. Pure. */

export const BARS = 20;
const TEXTS = 8; /* values of a column of texts that have a bar */

function ofNumbers({ values }, rows) {
	let [count, low, high, odd] = [0, Infinity, -Infinity, 0];
	for (const row of rows) {
		const value = values[row];
		if (typeof value !== 'number') continue;
		if (!Number.isFinite(value)) {
			odd++;
			continue;
		}
		count++;
		if (value < low) low = value;
		if (value > high) high = value;
	}
	if (!count) return { kind: 'numbers', bars: [], count, odd, low: null, high: null };
	const bars = new Array(low === high ? 1 : BARS).fill(0);
	const scale = low === high ? 0 : BARS / (high - low);
	for (const row of rows) {
		const value = values[row];
		if (Number.isFinite(value)) bars[Math.min(bars.length - 1, Math.floor((value - low) * scale))]++;
	}
	return { kind: 'numbers', bars, count, odd, low, high };
}

function ofOthers({ ranks, values }, rows) {
	const counts = new Uint32Array(ranks.count);
	const first = new Map();
	let count = 0;
	for (const row of rows) {
		const rank = ranks.of[row];
		if (rank === ranks.count) continue;
		count++;
		if (!counts[rank]++) first.set(rank, values[row]);
	}
	const most = [...first.keys()].sort((a, b) => counts[b] - counts[a] || a - b).slice(0, TEXTS);
	return { kind: 'values', count, different: first.size, top: most.map((rank) => ({ value: first.get(rank), count: counts[rank] })) };
}

/*
 * {kind: 'numbers', bars: counts, low, high, count, odd: how many are NaN or infinite} or
 * {kind: 'values', count, different, top: [{value, count}]}
 */
export function barsOf(column, rows) {
	return column.isNumeric ? ofNumbers(column, rows) : ofOthers(column, rows);
}
