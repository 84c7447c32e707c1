/*
 * The keys of which the runs or groups that charts show have values: panels of other keys are hidden. Read again when
 * other runs are shown, and while rows come.
 */

import { ask } from '../../api.js';
import { queryOf } from '../../base/query_text.js';
import { isTransient, reread } from '../../base/reread.js';
import { anyOf, idFilter } from '../../list/model/run_query.js';
import { panelKeys } from './panel_keys.js';

const KEYS = 10000;
const RUNS = 100; /* beyond that the filter of the list is used instead of their ids */
const SOON_MS = 1000;
const SELDOM_MS = 10000;
const MANY = 500; /* keys */

/*
 * The filter that finds the runs shown, or more runs if these are many; null if it would find all, or if no run is
 * shown. scope: of a list.
 */
export function shownFilter({ runs, groups, scope }) {
	const ids = runs.map(({ id }) => id);
	if (!groups.length && ids.length <= RUNS) return ids.length ? idFilter(ids) : null;
	const whole = groups.length ? scope?.counted : scope?.filter;
	return whole ? anyOf(ids.slice(0, RUNS), [whole]) : null;
}

/*
 * path: of the project; found(keys or null): null if it is not known. Gives {draw({runs, groups, scope}), soon(): there
 * may be other keys, stop()}.
 */
export function shownKeys(path, found) {
	let filter = null;
	let count = 0;

	async function read(signal) {
		const of = filter;
		if (of === null) {
			found(null);
			return null;
		}
		const answer = await ask('GET', `${path}/keys?${queryOf({ filter: of, limit: KEYS })}`, undefined, { signal });
		if (signal.aborted || of !== filter) return null;
		if (answer.status !== 200) {
			found(null);
			return isTransient(answer) ? answer : null;
		}
		const { items, next_cursor: more } = answer.body;
		count = items.length;
		found(more ? null : panelKeys(items).keys);
		return null;
	}

	const turns = reread(read, () => count > MANY ? SELDOM_MS : SOON_MS);

	return {
		draw(shown) {
			const next = shownFilter(shown);
			if (next === filter) return;
			filter = next;
			turns.now();
		},
		soon() {
			if (filter !== null) turns.soon();
		},
		stop: turns.stop,
	};
}
