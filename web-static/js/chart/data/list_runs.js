/*
 * Values of all runs that the filter of a page's list finds, whether charts draw them or not; of a page without a list,
 * of those that it shows. Panels that ask at once for the same are answered by one reading.
 */

import { listText, queryOf } from '../../base/query_text.js';
import { idFilter } from '../../list/model/run_query.js';
import { boxReading } from '../kinds/box_reading.js';

const AGAIN_MS = 5000;
const PAUSE = 4; /* times what the answer took */
const NONE = { status: 200, body: { items: [], isCut: false } };
const nothing = () => {};

const readingOf = (page) => page.listReading ||= boxReading();

/* So long nothing is read again: it is all of them. */
export const restOf = (page) => Math.max(AGAIN_MS, PAUSE * readingOf(page).took);

/*
 * answered({status, body: {items, isCut}}): the newest ones; isOfGroups: those that count in the list's groups. Gives
 * back how to stop waiting. Of a list that has not said yet which runs it has nothing is asked; it says so by update.
 */
export function listRuns(page, keys, answered, { isOfGroups = false } = {}) {
	if (page.scope === null) return nothing;
	if (!keys.length || (!page.scope && !page.runs.length)) {
		answered(NONE);
		return nothing;
	}
	const filter = page.scope ? page.scope[isOfGroups ? 'counted' : 'filter'] : idFilter(page.runs.map(({ id }) => id));
	const query = queryOf({ filter, order: '-created_at', keys: listText(keys) });
	return readingOf(page).want(`${page.path}/runs?${query}`, answered);
}
