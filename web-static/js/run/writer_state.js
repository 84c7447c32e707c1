/*
 * How a writer is, as people look at it. The server tells lost and ended; late is what it is before that: silent
 * for longer than two beats. A beat is a third of the limit, and no client's is longer than 30 s.
 */

const WEIGHT = { lost: 0, late: 1, alive: 3, replaced: 4, ended: 5 };
const LONGEST_BEAT_S = 30;
const FAR = 3; /* spreads above the median from which on it is slow */
const collator = new Intl.Collator('en', { numeric: true });

export function lateAfter(limit) {
	return 2 * Math.min(LONGEST_BEAT_S, limit / 3);
}

export function stateOf(writer, limit, now) {
	if (writer.state !== 'alive') return writer.state;
	if (writer.role === 'hand') return 'alive'; /* who sends rows by hand is not awaited */
	return (now - Date.parse(writer.heard_at)) / 1000 > lateAfter(limit) ? 'late' : 'alive';
}

/* The step that most of the writers with steps have reached: what the others are behind of. */
export function headStep(writers) {
	const steps = writers.filter((writer) => writer.last_step !== null
		&& writer.history_rows > 0).map((writer) => writer.last_step);
	return steps.length ? Math.max(...steps) : null;
}

/* One that logs far more rarely than the others has no place beside them. */
export function behind(writer, head, writers) {
	if (head === null || writer.last_step === null || !writer.history_rows) return null;
	const most = Math.max(...writers.map((one) => one.history_rows));
	return writer.history_rows * 10 < most && writer.state !== 'lost' ? null : head - writer.last_step;
}

/* What needs a look comes first: lost, late, the primary, who is slow, then the rest. */
export function byConcern(writers, slow = new Map()) {
	const weight = (writer) => {
		if (writer.shown !== 'alive') return WEIGHT[writer.shown] ?? 3;
		if (writer.role === 'primary') return 2;
		return slow.get(writer.label) > FAR ? 3 - Math.min(0.9, slow.get(writer.label) / 100) : 3;
	};
	return [...writers].sort((a, b) => weight(a) - weight(b) || collator.compare(a.label, b.label));
}

export function byLabel(a, b) {
	return collator.compare(a, b);
}

/* Writers with what is shown of them, and how many there are of each. */
export function look(writers, limit, now) {
	const shown = writers.map((writer) => ({ ...writer, shown: stateOf(writer, limit, now) }));
	const counts = {};
	for (const writer of shown) counts[writer.shown] = (counts[writer.shown] || 0) + 1;
	return { writers: shown, counts };
}

/* Rows a second between two readings of the same writer; null until there are two. */
export function rates(before, after, seconds) {
	const known = new Map(before.map((writer) => [writer.number, writer.history_rows]));
	return new Map(after.filter((writer) => known.has(writer.number) && seconds > 0)
		.map((writer) => [writer.number, Math.max(0, writer.history_rows - known.get(writer.number)) / seconds]));
}
