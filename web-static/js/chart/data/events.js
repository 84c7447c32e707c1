/*
 * Events of a run, as thin lines across its charts: changes of its state, alerts, checkpoints. The place of an event on
 * an axis follows from the times that rows have there.
 */

import { stateWord } from '../../text/common.js';
import { text } from '../../text/tip.js';

const MANY = 20; /* so many of all kinds are shown unasked */
const BUCKETS = 512;

const words = text.marks;
const seconds = (time) => new Date(time).getTime() / 1000;

/* states, alerts: as REST has them; checkpoints: of checkpoints.js. */
export function eventsOf({ states = [], alerts = [], checkpoints = [] }) {
	return [
		...states
			.filter(({ from }) => from)
			.map((one) => ({ time: seconds(one.at), name: words.becomes(stateWord(one.to)), kind: 'state' })),
		...alerts.map((one) => ({ time: seconds(one.created_at), name: one.title, kind: one.level })),
		...checkpoints.map(({ name, updated_at: at }) => ({
			time: seconds(at),
			name: words.checkpoint(name),
			kind: 'checkpoint',
		})),
	].sort((a, b) => a.time - b.time);
}

/* Between the rows before and after it; what lies outside of all rows is at their end. Pure. */
export function placeOfTime(time, { places, times }) {
	const after = times.findIndex((one) => one >= time);
	if (after < 0) return places[places.length - 1];
	if (after === 0) return places[0];
	const share = (time - times[after - 1]) / (times[after] - times[after - 1]);
	return places[after - 1] + (places[after] - places[after - 1]) * share;
}

/*
 * The same where times go back, as of a run that was resumed: the latest so far. Of several writers one that is behind
 * the others has its rows later: a place was come to when the first of them was there.
 */
function rising(columns, areSeveral) {
	let latest = -Infinity;
	const times = Array.from(areSeveral ? columns.min : columns.last, (time) => latest = Math.max(latest, time));
	return { places: Array.from(columns.x_last), times };
}

/*
 * Places of events on a page whose charts show one run. at(x): [{x, name, kind}], as far as known; changed() when there
 * are more. evaluations: of evaluations.js. All are shown or none, as the switch is set.
 */
export function eventPlaces(page, changed, evaluations = null) {
	const known = new Map();
	const without = new Set(); /* nothing is known of these: no row yet, or no answer */
	let events = [];

	function ask(x) {
		const run = page.runs[0];
		known.set(x, null);
		page.cache.want(
			{ runs: [run.id], groups: [], panel: { keys: ['_timestamp'], x, buckets: BUCKETS } },
			({ answer }) => {
				const [piece] = answer?.series || [];
				known.set(x, piece?.columns.at.length ? rising(piece.columns, run.writers?.() > 1) : null);
				if (!known.get(x)) without.add(x);
				changed();
			},
		);
	}

	function isShown(x) {
		return page.look.events ?? events.length + (evaluations?.at(x).length ?? 0) <= MANY;
	}

	const evaluated = (x) => evaluations && isShown(x) ? evaluations.at(x) : [];

	/* Returns the events to show. The moment that the user picked is always among them. */
	function shown(x) {
		const { moment } = page.look;
		const picked = Number.isFinite(moment) ? [{ time: moment, name: words.moment, kind: 'moment' }] : [];
		return [...isShown(x) ? events : [], ...picked];
	}

	function ofTimes(x) {
		const list = x === '_process' ? [] : shown(x);
		if (!list.length) return [];
		if (x === '_timestamp') return list.map((one) => ({ ...one, x: one.time }));
		if (!known.has(x)) ask(x);
		const rows = known.get(x);
		return rows ? list.map((one) => ({ ...one, x: placeOfTime(one.time, rows) })) : [];
	}

	return {
		at: (x) => [...ofTimes(x), ...evaluated(x)],
		isShown: () => isShown(page.look.x),
		/* Other events, which may lie behind rows that are not known yet. */
		set(list) {
			if (JSON.stringify(list) === JSON.stringify(events)) return;
			events = list;
			known.clear();
			without.clear();
			changed();
		},
		rowsCame() {
			if (!without.size) return;
			for (const x of without) known.delete(x);
			without.clear();
			changed();
		},
	};
}
