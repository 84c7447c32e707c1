/*
 * Debiased exponential moving average over buckets, weight a row: a bucket of n rows moves the average as n single rows
 * would, so the line looks the same at every zoom and panel width. Where nothing is (null, undefined), nothing comes.
 */
export function smooth(values, rows, weight) {
	if (!weight) return values;
	let sum = 0;
	let norm = 0;
	return values.map((value, at) => {
		if (value === null || value === undefined) return value;
		const keep = weight ** (rows[at] || 1);
		sum = sum * keep + value * (1 - keep);
		norm = norm * keep + (1 - keep);
		return sum / norm;
	});
}
