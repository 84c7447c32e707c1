/*
 * How a metric goes with what runs have under keys. Pure. Of numbers Spearman's rank correlation, that is Pearson's
 * correlation of their ranks, where equal ones share the mean of theirs (C. Spearman, The proof and measurement of
 * association between two things, American Journal of Psychology 15, 1904); of categories eta squared, the share of the
 * metric's variance that lies between them: sum over categories of n_k (mean_k - mean)^2, divided by the sum over runs
 * of (value - mean)^2 (R. A. Fisher, Statistical Methods for Research Workers, 1925, chapter VII).
 */

export const LEAST_RUNS = 3; /* of fewer nothing is said: two always lie on a line */
export const FEW_RUNS = 10; /* fewer are marked as few */
const ODD = ['NaN', 'Infinity', '-Infinity']; /* as documents have them: they have no rank */

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const isThere = (value) => value !== undefined && value !== null && !ODD.includes(value);
const meanOf = (values) => values.reduce((sum, value) => sum + value / values.length, 0);

/* From 1; equal values have the mean of their ranks. */
export function ranksOf(values) {
	const sorted = Float64Array.from(values).sort();
	const ranks = new Map();
	for (let from = 0, to = 0; from < sorted.length; from = to) {
		while (to < sorted.length && sorted[to] === sorted[from]) to++;
		ranks.set(sorted[from], (from + 1 + to) / 2);
	}
	return values.map((value) => ranks.get(value));
}

/* Null where one of them is the same everywhere. */
export function rankCorrelation(xs, ys) {
	const [a, b] = [ranksOf(xs), ranksOf(ys)];
	const middle = (xs.length + 1) / 2;
	const together = (one, other) => one.reduce((sum, rank, at) => sum + (rank - middle) * (other[at] - middle), 0);
	const spread = Math.sqrt(together(a, a) * together(b, b));
	return spread ? Math.max(-1, Math.min(1, together(a, b) / spread)) : null;
}

/* From 0 to 1, of which the share is the same: so equal ones are exactly equal, and the largest have squares. */
function betweenEnds(places) {
	const values = places.flat();
	const least = values.reduce((a, b) => Math.min(a, b));
	const most = values.reduce((a, b) => Math.max(a, b));
	if (least === most) return null;
	return places.map((some) => some.map((value) => (value / 2 - least / 2) / (most / 2 - least / 2)));
}

/* of: a list of values for each category. Null where all values are the same. */
export function shareBetween(of) {
	const places = betweenEnds(of);
	if (!places) return null;
	const values = places.flat();
	const mean = meanOf(values);
	const whole = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
	const between = places.reduce((sum, some) => sum + some.length * (meanOf(some) - mean) ** 2, 0);
	return whole ? Math.min(1, between / whole) : null;
}

function byCategory(pairs) {
	const places = new Map();
	for (const [value, metric] of pairs) {
		const place = JSON.stringify(value);
		if (!places.has(place)) places.set(place, []);
		places.get(place).push(metric);
	}
	return [...places.values()];
}

/* Why there is no figure, or what is odd about it; '' where nothing is. */
function oddity({ n, categories, isNumeric, metrics }) {
	if (categories === 1) return 'constant';
	if (metrics === 1) return 'flat';
	if (!isNumeric && categories === n) return 'own';
	return n < FEW_RUNS ? 'few' : '';
}

/* pairs: [what a run has under the key, the metric], of runs that have both. */
function figureOf(pairs) {
	const n = pairs.length;
	const isNumeric = pairs.every(([value]) => isNumber(value));
	const side = (at) => pairs.map((pair) => pair[at]);
	const places = isNumeric ? null : byCategory(pairs);
	const categories = isNumeric ? new Set(side(0)).size : places.length;
	const why = oddity({ n, categories, isNumeric, metrics: new Set(side(1)).size });
	const figure = () => isNumeric ? rankCorrelation(side(0), side(1)) : shareBetween(places);
	const isKnown = n >= LEAST_RUNS && (why === '' || why === 'few');
	return { isNumeric, n, categories, why, value: isKnown ? figure() : null };
}

const strength = ({ value }) => value === null ? -1 : Math.abs(value);

/*
 * runs: [{metric, values: [what it has under each key]}]. [{key, isNumeric, value, n: of so many runs, categories,
 * why}]: the strongest first, then those without a value; keys that no run with the metric has are left out. rest(): a
 * promise, which is waited for after each key.
 */
export async function correlationsOf(keys, runs, rest = () => null) {
	const there = runs.filter(({ metric }) => isNumber(metric));
	const found = [];
	for (const [at, key] of keys.entries()) {
		const pairs = there.filter(({ values }) => isThere(values[at])).map(({ metric, values }) => [values[at], metric]);
		if (pairs.length) found.push({ key, ...figureOf(pairs) });
		await rest();
	}
	return found.sort((a, b) => strength(b) - strength(a) || (a.key < b.key ? -1 : 1));
}
