/*
 * Summarizes changes to the runs of a project since the last summary: how many are new, how many reached which state.
 * A run that left a state and returned to it is not counted. Pure.
 */

import { count } from '../base/format.js';
import { stateWord, text } from '../text/common.js';

const words = text.news;
const STATES = ['failed', 'crashed', 'killed', 'preempted', 'preempting', 'finished', 'pending', 'running'];
const ENDED = ['failed', 'crashed', 'killed', 'finished'];

/* began: since when the page is open, in milliseconds. */
export function runsNews(began) {
	const states = new Map(); /* by run, of its last event */
	let before = new Map(); /* by run with events since the last summary, before the first of them */
	let fresh = new Set();

	const isSince = (time) => Boolean(time) && Date.parse(time) >= began;

	/* Returns the state before the first event of a run: running if it has just ended, otherwise the event's state. */
	function stateBefore(run) {
		const hasJustEnded = ENDED.includes(run.state) && (fresh.has(run.id) || isSince(run.ended_at));
		return hasJustEnded ? 'running' : run.state;
	}

	function take(run) {
		if (run.state === undefined) return; /* it only goes on */
		if (!states.has(run.id) && isSince(run.created_at)) fresh.add(run.id);
		if (!before.has(run.id)) before.set(run.id, states.get(run.id) ?? stateBefore(run));
		states.set(run.id, run.state);
	}

	/* Returns the summary in words, and begins the next one. */
	function told() {
		const moved = [...before].filter(([id, state]) => states.get(id) !== state).map(([id]) => states.get(id));
		const many = (state) => moved.filter((one) => one === state).length;
		const parts = STATES.filter(many).map((state) => words.runs(count(many(state)), stateWord(state)));
		if (fresh.size) parts.push(words.fresh(count(fresh.size)));
		before = new Map();
		fresh = new Set();
		return parts.join(', ');
	}

	return { take, told };
}
