/*
 * The state of a writer as the page shows it. The server reports lost and ended; late comes before that: silent
 * for longer than two beats. A beat is a third of the limit, and no client's is longer than 30 s.
 */

const LONGEST_BEAT_S = 30;

export function lateAfter(limit) {
	return 2 * Math.min(LONGEST_BEAT_S, limit / 3);
}

export function stateOf(writer, limit, now) {
	if (writer.state !== 'alive') return writer.state;
	if (writer.role === 'hand') return 'alive'; /* rows that are sent by hand have no heartbeat */
	return (now - Date.parse(writer.heard_at)) / 1000 > lateAfter(limit) ? 'late' : 'alive';
}

/* Writers with what is shown of them, and how many there are of each. */
export function look(writers, limit, now) {
	const shown = writers.map((writer) => ({ ...writer, shown: stateOf(writer, limit, now) }));
	const counts = {};
	for (const writer of shown) counts[writer.shown] = (counts[writer.shown] || 0) + 1;
	return { writers: shown, counts };
}
