/* Which writers need a look first, and how far they are behind the others. Pure. */

const WEIGHT = { lost: 0, late: 1, alive: 3, replaced: 4, ended: 5 };
const FAR_BEHIND = 50; /* steps */
const FAR = 3; /* spreads above the median from which on it is slow */
const collator = new Intl.Collator('en', { numeric: true });

/* The step that most of the writers with steps have reached: what the others are behind of. */
export function headStep(writers) {
	const steps = writers.filter((writer) => writer.last_step !== null
		&& writer.history_rows > 0).map((writer) => writer.last_step);
	return steps.length ? Math.max(...steps) : null;
}

/* Returns null for a writer that logs far more rarely than the others: its distance would mean nothing. */
export function behind(writer, head, writers) {
	return behindOf(writer, head, Math.max(...writers.map((one) => one.history_rows)));
}

/* most: the rows of who has most. */
function behindOf(writer, head, most) {
	if (head === null || writer.last_step === null || !writer.history_rows) return null;
	return writer.history_rows * 10 < most && writer.state !== 'lost' ? null : head - writer.last_step;
}

/* So far that it needs a look; one that has ended comes no further, and its steps may have been given in another order. */
export function isFarBehind(writer, steps) {
	return steps > FAR_BEHIND && !['ended', 'replaced'].includes(writer.shown);
}

/* Sorts writers that need attention first: lost, late, far behind, the primary, the slow ones, then the rest. */
export function byConcern(writers, slow = new Map()) {
	const head = headStep(writers);
	const most = Math.max(...writers.map(({ history_rows: rows }) => rows));
	const weight = (writer) => {
		if (writer.shown !== 'alive') return WEIGHT[writer.shown] ?? 3;
		if (isFarBehind(writer, behindOf(writer, head, most))) return 1.5;
		if (writer.role === 'primary') return 2;
		return slow.get(writer.label) > FAR ? 3 - Math.min(0.9, slow.get(writer.label) / 100) : 3;
	};
	return [...writers].sort((a, b) => weight(a) - weight(b) || collator.compare(a.label, b.label));
}

export function byLabel(a, b) {
	return collator.compare(a, b);
}
