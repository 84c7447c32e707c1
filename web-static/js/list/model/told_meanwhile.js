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

export function toldMeanwhile() {
	const underWay = new Set(); /* of each question what was told since, by the run's id */

	return {
		/* By events. */
		tell(items) {
			for (const told of underWay) for (const item of items) told.set(item.id, withEvent(told.get(item.id), item));
		},
		/* By the answer to a change of one's own: whole runs. */
		took(runs) {
			for (const told of underWay) for (const run of runs) told.set(run.id, { ...told.get(run.id), ...run });
		},
		/* [the answer, told(id): what was told of a run since it was asked for] */
		async during(asking) {
			const told = new Map();
			underWay.add(told);
			try {
				return [await asking, (id) => told.get(id)];
			} finally {
				underWay.delete(told);
			}
		},
	};
}
