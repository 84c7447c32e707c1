/*
 * Which way the values of keys are better: as the project says, else the config of the first run that the page draws
 * (define_metric). Read once a page, when a panel wants to know.
 */

import { apiPath } from '../../address.js';
import { ask } from '../../api.js';
import { isTransient, reread } from '../../base/reread.js';
import { directionOf, directionsOf } from '../../compare/model/model.js';
import { readDocument } from '../../compare/model/read.js';
import { metricKey } from '../../list/model/metric_column.js';

const REST_MS = 1000;

/* page: {entity, project, path, runs}. Gives {of(key), undefined where it is not known; follow(changed) -> stop}. */
export function keyDirections(page) {
	const listeners = new Set();
	let known = new Map();
	let readOf; /* id of the run; null where the page had none */

	async function read(signal) {
		if (!listeners.size) return null;
		const id = page.runs[0]?.id ?? null;
		const [settings, { answer, value }] = await Promise.all([ask('GET', page.path, undefined, { signal }),
			id === null ? {} : readDocument(`${apiPath(page.entity, page.project, id)}/config`, signal)]);
		const fault = [settings, answer].find(isTransient);
		if (fault) return fault;
		readOf = id;
		known = directionsOf([value ?? {}], settings.body?.directions ?? []);
		for (const changed of listeners) changed();
		return null;
	}

	const turns = reread(read, () => REST_MS);

	return {
		of(key) {
			/* A page may have its runs later. */
			if (readOf === undefined || (readOf === null && page.runs.length)) turns.soon();
			const metric = metricKey(key);
			return metric === null ? undefined : directionOf(known, metric);
		},
		follow(changed) {
			listeners.add(changed);
			return () => listeners.delete(changed);
		},
	};
}
