/* Values of runs as bars: where each begins and ends, as shares of the width. Pure. */

export const BARS_MOST = 200;

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/*
 * marks: runs and groups with a value a field. Groups of bars, a field each: [{field, bars: [{run, value, at}],
 * missing}].
 */
export function barsOf(marks, fields) {
	return fields.map((field, at) => {
		const bars = marks
			.map((run) => ({ run, value: run.values[at], at }))
			.filter(({ value }) => isNumber(value));
		return { field, bars, missing: marks.length - bars.length };
	});
}

function endsOf(values, { min, max, isLog }) {
	const known = isLog ? values.filter((value) => value > 0) : [...values, 0];
	const least = Math.min(...known);
	const low = min ?? (isLog ? least / 2 : least);
	const high = max ?? Math.max(...known);
	return high > low ? [low, high] : [low, low + (Math.abs(low) || 1)];
}

/* place(value): {from, to} in shares of the width; null of a logarithm without one. */
export function barScale(values, { min = null, max = null, isLog = false } = {}) {
	if (!values.length || (isLog && !values.some((value) => value > 0))) return () => null;
	const along = isLog ? Math.log10 : (value) => value / 2; /* by half: the greatest numbers have a difference, too */
	const [low, high] = endsOf(values, { min, max, isLog }).map((value) =>
		isLog ? Math.max(value, Number.MIN_VALUE) : value,
	);
	const share = (value) => Math.max(0, Math.min(1, (along(value) - along(low)) / (along(high) - along(low))));
	const zero = isLog ? 0 : share(0);
	return (value) => {
		if (isLog && value <= 0) return null;
		const at = share(value);
		return { from: Math.min(zero, at), to: Math.max(zero, at) };
	};
}
