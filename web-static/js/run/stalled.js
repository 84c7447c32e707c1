/*
 * Whether a run is stalled: alive, and its step has not moved for longer than its limit. No event says when it moved. It
 * was no later than what is found here, so it is stalled for that long at least. Pure.
 */

/* Returns by how much writers' clocks are behind the server's at most: rows cannot come sooner than they were made. */
function lagsOf(writers) {
	const lags = new Map();
	for (const { label, lag_s: lag } of writers) if (lag !== null) lags.set(label, Math.max(0, lag, lags.get(label) ?? 0));
	return lags;
}

/* When rows had the step that the run is at. */
function reachedBy(lastStep, rows, lags) {
	const times = rows.filter((row) => row._step >= lastStep).map((row) => row._timestamp + lags.get(row._label));
	return times.filter(Number.isFinite).map((seconds) => seconds * 1000);
}

/* rows: the latest ones, or none. */
export function movedBy({ run, writers, noted }, rows) {
	const data = Math.max(...writers.map((writer) => Date.parse(writer.data_at) || 0));
	const known = noted.isSeen ? [] : [data, ...reachedBy(run.last_step, rows, lagsOf(writers))];
	return Math.max(Math.min(noted.since, ...known), Date.parse(run.started_at));
}

/* For how many seconds; 0: it continues, has ended, or no writer is heard. */
export function stalledFor(data, rows, now) {
	const { run, limit } = data;
	if (run.ended_at || run.last_step === null || !data.look().counts.alive) return 0;
	const still = (now - movedBy(data, rows)) / 1000;
	return still > limit ? still : 0;
}
