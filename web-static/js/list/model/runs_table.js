/* The runs of the list as rows of a table. */

import { nameOf } from '../../base/slot.js';

const ALWAYS = ['id', 'state']; /* stand before the columns, by the same name */

/*
 * {heads, cellsOf(run)} of runs. valueOf(run, key): what stands in the cell; changeOf(run, key): {absolute, relative}
 * against the baseline, or null, of columns that show it.
 */
export function runsTable(columns, valueOf, changeOf) {
	const partsOf = ({ key, isChange }) => [...(ALWAYS.includes(key) ? [] : [[key, (run) => valueOf(run, key)]]),
		...(isChange ? [[`${key} change`, (run) => changeOf(run, key)?.absolute],
			[`${key} relative change`, (run) => changeOf(run, key)?.relative]] : [])];
	const parts = columns.flatMap(partsOf);
	return { heads: ['id', 'name', 'state', 'started', ...parts.map(([head]) => head)],
		cellsOf: (run) => [run.id, nameOf(run), run.state, run.created_at, ...parts.map(([, read]) => read(run))] };
}
