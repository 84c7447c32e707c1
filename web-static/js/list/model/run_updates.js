/*
 * Changes to runs that arrive while an answer, which may be older, is in flight: from events, and from answers to the
 * page's own changes. If a run only logs rows, no later event repairs values that an older answer overwrote.
 */

const NUMBERS = ['rows', 'event_rows', 'last_step', 'heard_at'];

const numbersOf = (item) => Object.fromEntries(NUMBERS.filter((name) => item[name] !== undefined)
	.map((name) => [name, item[name]]));

/*
 * Takes only the numbers of an event: its other values are requested later. If the run has changed once more since
 * the page's own change, the whole event is newer than the answer to that change.
 */
function withEvent(before, item) {
	const isNewer = item.state !== undefined && before?.state !== undefined;
	return { ...before, ...isNewer ? item : numbersOf(item) };
}

export function runUpdates() {
	const inFlight = new Set(); /* for each request the changes since it was sent, by the run's id */

	return {
		/* Takes events. */
		events(items) {
			for (const changes of inFlight) for (const item of items) changes.set(item.id, withEvent(changes.get(item.id), item));
		},
		/* Takes answers to the page's own changes: whole runs. */
		took(runs) {
			for (const changes of inFlight) for (const run of runs) changes.set(run.id, { ...changes.get(run.id), ...run });
		},
		/* Returns [the answer, changesOf(id): the changes of a run since the request was sent]. */
		async during(asking) {
			const changes = new Map();
			inFlight.add(changes);
			try {
				return [await asking, (id) => changes.get(id)];
			} finally {
				inFlight.delete(changes);
			}
		},
	};
}
