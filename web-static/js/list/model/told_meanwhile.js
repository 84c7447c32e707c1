/*
 * What is told of runs while an answer is under way, which may be older: by events, and by what a change of one's own
 * was answered. Of a run that only goes on nobody tells again what an older answer wrote over.
 */

const NUMBERS = ['rows', 'event_rows', 'last_step', 'heard_at'];

const numbersOf = (item) => Object.fromEntries(NUMBERS.filter((name) => item[name] !== undefined)
	.map((name) => [name, item[name]]));

/*
 * Of an event only the numbers count: what else it may tell is asked for after it. Where the run has changed once more
 * since a change of one's own, all of the event is newer than what that was answered.
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
