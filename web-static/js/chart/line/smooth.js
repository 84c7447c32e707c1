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

/* Mean of the last `window` rows up to each value; of the bucket where these begin as much as is needed. */
export function movingMean(values, rows, window) {
	return values.map((value, at) => {
		if (value === null || value === undefined) return value;
		let mean = value;
		let count = Math.min(rows[at] || 1, window);
		for (let back = at - 1; back >= 0 && count < window; back--) {
			if (values[back] === null || values[back] === undefined) continue;
			const n = Math.min(rows[back] || 1, window - count);
			count += n;
			mean += (values[back] - mean) * (n / count);
		}
		return mean;
	});
}
