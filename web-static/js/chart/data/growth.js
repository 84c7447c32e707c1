/*
 * From which step on a run has more rows than before, as far as its count of rows and its last step tell. Rows that
 * came late beside new ones are not seen by that: panels ask for the whole now and then.
 */

/* runs: as they were read, {id, rows, last_step}. Gives grown({id, rows, lastStep}): null where nothing came. */
export function growth(runs = []) {
	const known = new Map(runs.map((run) => [run.id, { rows: run.rows, lastStep: run.last_step }]));

	return ({ id, rows, lastStep }) => {
		const before = known.get(id);
		known.set(id, { rows, lastStep });
		if (before && before.rows === rows) return null;
		return before?.lastStep !== null && lastStep > before?.lastStep ? before.lastStep + 1 : 0;
	};
}
