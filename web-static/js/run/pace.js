/* Pace and end of a run, from its steps over time. */

const RECENT_S = 120;
const ENOUGH = 5;

function perSecond(rows, to) {
	const from = Math.min(...rows.map((row) => row._timestamp));
	const steps = rows.map((row) => row._step);
	return { rows: (rows.length - 1) / (to - from), steps: (Math.max(...steps) - Math.min(...steps)) / (to - from) };
}

/*
 * Of the latest rows, each with _timestamp and _step: what came a second, in the last two minutes if there is enough of
 * it, and both over time for a small curve. Of a run that goes on the time since the last row counts, too.
 */
export function pace(rows, now) {
	const times = rows.map((row) => row._timestamp).sort((a, b) => a - b);
	const [from, to] = [times[0], Math.max(times[times.length - 1], now)];
	if (rows.length < 2 || to - from <= 0) return { rows: null, steps: null, counts: [], reached: [] };
	const recent = rows.filter((row) => row._timestamp >= to - RECENT_S);
	const speed = perSecond(recent.length < ENOUGH ? rows : recent, to);
	return { ...speed, ...curves(rows, from, endOf(times[times.length - 1], { from, to })) };
}

const BINS = 30;
const UNDER_WAY_S = 6; /* rows may have come that were not read yet */

/* A curve ends with the last row, but shows silence. */
function endOf(last, { from, to }) {
	return to - last <= Math.max(UNDER_WAY_S, 2 * (to - from) / BINS) && last > from ? last : to;
}

function curves(rows, from, to) {
	const counts = new Array(BINS).fill(0);
	const reached = new Array(BINS).fill(0);
	for (const row of rows) {
		const bin = Math.min(BINS - 1, Math.max(0, Math.floor((row._timestamp - from) / (to - from) * BINS)));
		counts[bin]++;
		reached[bin] = Math.max(reached[bin], row._step);
	}
	for (let bin = 1; bin < BINS; bin++) reached[bin] = Math.max(reached[bin], reached[bin - 1]);
	const least = Math.min(...rows.map((row) => row._step));
	return { counts, reached: reached.map((step) => step - least) };
}

/* Seconds until the last step; null when that cannot be told. */
export function untilEnd(total, lastStep, stepsPerSecond) {
	if (!total || lastStep === null || !stepsPerSecond) return null;
	const rest = total.value - 1 - lastStep;
	return rest < 0 ? null : rest / stepsPerSecond;
}
