/*
 * Finds where most runs of a group are, if few of them are far from the others. Of each bucket only the mean, the deviation and
 * the extremes are known: all that is far is taken to have the extreme value, which gives the mean of the others. Pure.
 */

const ROUNDING = 1e-6; /* of an extreme value: values are rounded to 32 bits, so that smaller differences are unknown */
const FEW = 2; /* buckets with less than half of the runs say little of most runs */

const square = (value) => value * value;

/* {mean, share}: of the runs that do not have the extreme value, and the share of the runs that have it. */
function withoutExtreme({ mean, spread, runs }, extreme) {
	const far = extreme - mean;
	if (!far) return { mean, share: 0 };
	const deviation = spread * Math.sqrt((runs - 1) / runs); /* over their number */
	const odds = square(deviation / far);
	return { mean: mean - deviation * (deviation / far), share: odds / (1 + odds) };
}

/* Returns the end at the extreme's side of a range of others, which reaches as far from their mean as at the other side. */
function endOf(mean, extreme, other) {
	if (Math.abs(mean - other) <= Math.abs(extreme) * ROUNDING) return other;
	const end = mean + (mean - other);
	return extreme > other ? Math.max(other, Math.min(end, extreme)) : Math.min(other, Math.max(end, extreme));
}

function sideOf(buckets, [name, opposite], isFarther) {
	const values = [];
	let farthest = null;
	let far = 1;
	for (const bucket of buckets) {
		const [extreme, other] = [bucket[name], bucket[opposite]];
		const { mean, share } = withoutExtreme(bucket, extreme);
		values.push(other, endOf(mean, extreme, other));
		if (farthest !== null && !isFarther(extreme, farthest)) continue;
		farthest = extreme;
		far = Math.max(1, Math.min(bucket.runs - 1, Math.round(bucket.runs * share)));
	}
	return { values, far };
}

/*
 * [{values, far}] for the places from `first` to `last` of a group's line: where the others are if a few runs are far
 * above, and if they are far below; far: how many runs these are. Empty if that is unknown.
 */
export function coresOf({ means, mean: line, min, max, spread, runs }, first, last) {
	const buckets = [];
	for (let at = first; at <= last && at < line.length; at++) {
		const mean = (means ?? line)[at];
		if (runs[at] > 1 && [mean, min[at], max[at], spread[at]].every((value) => Number.isFinite(value)))
			buckets.push({ mean, min: min[at], max: max[at], spread: spread[at], runs: runs[at] });
	}
	const most = Math.max(0, ...buckets.map((bucket) => bucket.runs));
	const known = buckets.filter((bucket) => bucket.runs * FEW >= most);
	if (!known.length) return [];
	return [sideOf(known, ['max', 'min'], (a, b) => a > b), sideOf(known, ['min', 'max'], (a, b) => a < b)];
}
