/* Runs that are asked for by their ids, wherever they stand in a list: each is read once, and kept as it is now. */

import { IDS } from './list_asking.js';

/* ask(ids): these runs, or null; keys(): by which they are to have values. */
export function namedRuns({ ask, keys }) {
	const known = new Map(); /* null: there is none */
	let reading = Promise.resolve();

	const isAskedMore = (run) => run !== null && keys().some((key) => !Object.hasOwn(run.by, key));

	async function readMissing(ids) {
		const missing = ids.filter((id) => !known.has(id) || isAskedMore(known.get(id)));
		for (let from = 0; from < missing.length; from += IDS) {
			const some = missing.slice(from, from + IDS);
			const runs = await ask(some);
			const found = new Map(runs?.map((run) => [run.id, run]));
			if (runs) some.forEach((id) => known.set(id, found.get(id) ?? null));
		}
	}

	return {
		/* Returns the runs with these ids; runs that do not exist are left out. */
		read(ids) {
			reading = reading.then(() => readMissing(ids));
			return reading.then(() => ids.map((id) => known.get(id)).filter(Boolean));
		},
		all: () => [...known.values()].filter(Boolean),
		put(fresh) {
			for (const run of fresh) if (known.get(run.id)) known.set(run.id, { ...known.get(run.id), ...run });
		},
		drop(ids) {
			for (const id of ids) known.delete(id);
		},
	};
}
