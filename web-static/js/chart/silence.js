/*
 * How far columns are from each other, and how much of that is certainly silence: in columns, or, where columns are
 * stretches of time of their own as those of steps are, in seconds. Pure.
 */

const COLUMNS = { apart: (from, to) => to - from, silent: (from, to) => to - from, least: 1 };

/* times: when each column begins, and the last one ends; undefined where all are alike. */
export function silenceOf(times) {
	if (!times) return COLUMNS;
	return {
		apart: (from, to) => (times[to] + times[to + 1] - times[from] - times[from + 1]) / 2,
		silent: (from, to) => Math.max(0, times[to] - times[from + 1]),
		least: 0,
	};
}
