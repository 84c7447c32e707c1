/*
 * What is told of runs while an answer is under way, which may be older: by events, and by what a change of one's own
 * was answered. Of a run that only goes on nobody tells again what an older answer wrote over.
 */

const NUMBERS = ['id', 'rows', 'event_rows', 'last_step', 'heard_at'];

/* Of an event only these count: what else it may tell is asked for after it. */
export function numbersOf(item) {
	return Object.fromEntries(NUMBERS.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]));
}

export function toldMeanwhile() {
	const underWay = new Set(); /* of each question what was told since, by the run's id */

	return {
		tell(items) {
			for (const told of underWay) for (const item of items) told.set(item.id, { ...told.get(item.id), ...item });
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
