/*
 * Rows that come for a run that has ended: how many since this page saw its end first. A run is to be given as it was at one
 * moment. They are forgotten when it goes on, and when the page is loaded anew.
 */

const ends = new Map(); /* by run: {endedAt, rows} */

export function lateRows({ entity, project, id, ended_at: endedAt, rows }) {
	const name = `${entity}/${project}/${id}`;
	const end = ends.get(name);
	if (!endedAt) ends.delete(name);
	else if (end?.endedAt !== endedAt || rows < end.rows) ends.set(name, { endedAt, rows });
	return endedAt ? rows - ends.get(name).rows : 0;
}
