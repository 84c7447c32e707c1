/* Lost writers: their labels, how long they were silent, the steps that they had reached. Pure. */

/* Returns the labels of lost writers. writers: with the state that is shown of each. */
export function lostLabels(writers) {
	return writers.filter(({ shown }) => shown === 'lost').map(({ label }) => label);
}

/* Labels of a run that ended whose writers were lost by then, as oddRows() of ranks.js takes states. */
export function lostStates(writers) {
	return new Map(writers.map(({ label, state }) => [label, state === 'lost' ? 'lost' : 'ended']));
}

const ends = (values) => values.length ? [Math.min(...values), Math.max(...values)] : null;

/* For how long, at the end of the run, nothing more was heard of each label that is lost: in seconds. */
export function lostFor({ ended_at: end }, writers, states) {
	const lost = writers.filter(({ label }) => states.get(label) === 'lost');
	return new Map(lost.map(({ label, heard_at: heard }) => [label, (Date.parse(end) - Date.parse(heard)) / 1000]));
}

/* Between which times they were heard last, and which steps they had reached: {heard, steps: null where none had any}. */
export function lostSpan(lost) {
	return { heard: ends(lost.map((one) => Date.parse(one.heard_at))),
		steps: ends(lost.map((one) => one.last_step).filter((step) => step !== null)) };
}
