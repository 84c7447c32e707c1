/* Writers that are lost, as it is told in few words. Pure. */

const BADLY = ['crashed', 'failed'];

/* How many are lost that are news: of a run that ended well, or by somebody's hand, who never said its end is none. */
export function lostOf(run, counts) {
	return run.ended_at && !BADLY.includes(run.state) ? 0 : counts.lost || 0;
}

const ends = (values) => values.length ? [Math.min(...values), Math.max(...values)] : null;

/* Between which times they were heard last, and which steps they had reached: {heard, steps: null where none had any}. */
export function lostSpan(lost) {
	return { heard: ends(lost.map((one) => Date.parse(one.heard_at))),
		steps: ends(lost.map((one) => one.last_step).filter((step) => step !== null)) };
}
