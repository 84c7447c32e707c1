/* Pace and end of a run, from its steps over time. */

const RECENT_S = 120;
const ENOUGH = 5;

const GRACE_S = 20; /* what a process sends comes together: so long it may be under way */
const LEAST_S = 1;

/* Returns rows and steps a second of one process. If it is silent, the time since its last row counts too. */
function ofOne(rows, now) {
	const [from, last] = ends(rows.map((row) => row._timestamp));
	const [least, most] = ends(rows.map((row) => row._step));
	const silence = Math.max(GRACE_S, 3 * (last - from) / (rows.length - 1));
	const seconds = Math.max(LEAST_S, (now - last > silence ? now : last) - from);
	return { rows: (rows.length - 1) / seconds, steps: rows.length < ENOUGH ? null : (most - least) / seconds };
}

function ends(numbers) {
	return [Math.min(...numbers), Math.max(...numbers)];
}

/* The rows of all together; the steps of the quickest writer, since one that is behind makes no steps of the run. */
function perSecond(rows, now) {
	const byLabel = new Map();
	for (const row of rows) byLabel.set(row._label, [...byLabel.get(row._label) ?? [], row]);
	const each = [...byLabel.values()].filter((own) => own.length > 1).map((own) => ofOne(own, now));
	const steps = each.map((one) => one.steps).filter((one) => one !== null);
	return { rows: each.reduce((sum, one) => sum + one.rows, 0), steps: steps.length ? Math.max(...steps) : null };
}

/*
 * Returns rows and steps a second from the latest rows, each with _timestamp, _step and its sender (_label): in the
 * last two minutes if they have enough rows; and both over time for a small curve.
 */
export function pace(rows, now) {
	const times = rows.map((row) => row._timestamp).sort((a, b) => a - b);
	const [from, to] = [times[0], Math.max(times[times.length - 1], now)];
	if (rows.length < 2 || to - from <= 0) return { rows: null, steps: null, counts: [], reached: [] };
	const recent = rows.filter((row) => row._timestamp >= to - RECENT_S);
	const speed = perSecond(recent.length < ENOUGH ? rows : recent, now);
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

/* Seconds until the last step; null if that is not known. */
export function untilEnd(total, lastStep, stepsPerSecond) {
	if (!total || lastStep === null || !stepsPerSecond) return null;
	const rest = total.value - 1 - lastStep;
	return rest < 0 ? null : rest / stepsPerSecond;
}
