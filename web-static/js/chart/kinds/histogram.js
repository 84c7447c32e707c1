/*
 * Histograms over steps as one sheet: a column a histogram, a row a stretch of values, on edges that all share. Pure.
 */

export const ROWS = 48;
const BINS_MOST = 4096;

const isNumbers = (list) =>
	Array.isArray(list) &&
	list.length > 0 &&
	list.length <= BINS_MOST &&
	list.every((one) => typeof one === 'number' && Number.isFinite(one));

function packed({ min, size, count }) {
	if (
		![min, size, count].every(Number.isFinite) ||
		!(size > 0) ||
		!Number.isInteger(count) ||
		count < 1 ||
		count > BINS_MOST
	)
		return null;
	return Array.from({ length: count + 1 }, (_, at) => min + at * size);
}

/* As the SDK of wandb sends them: counts, and edges or what edges are made of. null for what is no histogram. */
export function histogramFrom({ values: counts, bins, packedBins }) {
	const edges = bins === undefined ? packed(packedBins ?? {}) : bins;
	if (
		!isNumbers(counts) ||
		!isNumbers(edges) ||
		edges.length !== counts.length + 1 ||
		counts.some((count) => count < 0)
	)
		return null;
	return edges.every((edge, at) => at === 0 || edge > edges[at - 1]) ? { counts, edges } : null;
}

/* Reads the histogram from a row of history, whose keys are those of the histogram's parts. */
export function histogramOf(row, key) {
	const part = (name) => row[`${key}.${name}`];
	const packedBins = { min: part('packedBins.min'), size: part('packedBins.size'), count: part('packedBins.count') };
	const found = histogramFrom({ values: part('values'), bins: part('bins'), packedBins });
	return found && { step: row._step, ...found };
}

const totalOf = ({ counts }) => counts.reduce((a, b) => a + b, 0);

/* Shares of the whole in each of the shared rows: a bin that reaches over several is parted among them. */
function sharesOf(histogram, low, high) {
	const shares = new Float64Array(ROWS);
	const total = totalOf(histogram);
	const wide = (high - low) / ROWS;
	if (!total) return shares.fill(NaN);
	histogram.counts.forEach((count, at) => {
		const [from, to] = [histogram.edges[at], histogram.edges[at + 1]].map((edge) => (edge - low) / wide);
		for (let row = Math.max(0, Math.floor(from)); row < Math.min(ROWS, Math.ceil(to)); row++) {
			const part = (Math.min(row + 1, to) - Math.max(row, from)) / (to - from);
			shares[row] += count / total * part;
		}
	});
	return shares;
}

/* {low, high, steps, columns, most}: a column of shares each, from the lowest values up. null without a histogram. */
export function sheetOf(histograms) {
	if (!histograms.length) return null;
	const low = Math.min(...histograms.map(({ edges }) => edges[0]));
	const high = Math.max(...histograms.map(({ edges }) => edges[edges.length - 1]));
	if (!Number.isFinite(high - low)) return null;
	const columns = histograms.map((one) => sharesOf(one, low, high));
	const most = columns.reduce((so, column) => column.reduce((a, b) => b > a ? b : a, so), 0);
	return { low, high, columns, most, steps: histograms.map(({ step }) => step), totals: histograms.map(totalOf) };
}

/* Returns where a sheet ends: the last histogram is as wide as the average one. */
export function endOf(steps) {
	const last = steps[steps.length - 1];
	return steps.length > 1 ? last + (last - steps[0]) / (steps.length - 1) : last;
}

/*
 * Rows for heat_strip, the highest values on top: `wide` columns of equal steps, each the last histogram up to there.
 */
export function stripRows({ steps, columns }, wide) {
	const [from, to] = [steps[0], endOf(steps)];
	const at = new Int32Array(wide);
	let next = 0;
	for (let x = 0; x < wide; x++) {
		const end = from + (to - from) * (x + 1) / wide;
		while (next + 1 < steps.length && steps[next + 1] <= end) next++;
		at[x] = next;
	}
	return Array.from({ length: ROWS }, (_, row) => ({
		cells: Float64Array.from(at, (column) => columns[column][ROWS - 1 - row]),
	}));
}

/* The stretch of values that holds most of a histogram: {from, to, share}. */
export function peakOf({ low, high, columns }, column) {
	const shares = columns[column];
	const row = shares.indexOf(Math.max(...shares));
	const edge = (at) => low + (high - low) * at / ROWS;
	return { from: edge(row), to: edge(row + 1), share: shares[row] };
}
