/*
 * Counts rows that arrive for an ended run since this page first learned of its end. Ends are noted as answers arrive, in
 * any order, and forgotten when the page is loaded again; the oldest notes are dropped first.
 */

import { el } from '../../base/dom.js';
import { count } from '../../base/format.js';
import { text } from '../../text/common.js';

const words = text.lateRows;
const MOST = 10000;

const ends = new Map(); /* by run: {endedAt, rows} */

const nameOf = ({ entity, project, id }) => `${entity}/${project}/${id}`;

/* A run as it was at one moment. Of one end the fewest rows count, of several ends the last. */
export function noteEnd({ entity, project, id, ended_at: endedAt, rows }) {
	if (!endedAt) return;
	const name = nameOf({ entity, project, id });
	const end = ends.get(name);
	if (end && (end.endedAt > endedAt || (end.endedAt === endedAt && end.rows <= rows))) return;
	ends.delete(name);
	ends.set(name, { endedAt, rows });
	if (ends.size > MOST) ends.delete(ends.keys().next().value);
}

export function lateRows({ entity, project, id, ended_at: endedAt, rows }) {
	const end = ends.get(nameOf({ entity, project, id }));
	return endedAt && end?.endedAt === endedAt ? Math.max(0, rows - end.rows) : 0;
}

/* That rows came for a run after its end; null where none did. look 'short': where there is little room. */
export function lateChip(run, look = '') {
	const rows = lateRows(run);
	if (!rows) return null;
	return el('span', { class: `chip late-rows ${look}`.trim(), title: words.why(count(rows)) },
		look === 'short' ? words.short(count(rows)) : words.chip(count(rows)));
}
