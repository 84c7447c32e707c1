/* The table as a file: of runs the columns that are shown, also of those whose values nobody saw yet. */

import { changeOf } from '../compare/model.js';
import { runsCsv } from '../runs/csv.js';
import { text } from '../text.js';
import { toast } from './controls.js';
import { saveText } from './save.js';

/* Columns that were just chosen have their values when the last reading has come. */
async function settled(reading) {
	for (let last; last !== reading();) {
		last = reading();
		await last;
	}
}

/*
 * reading(): the last one's promise; metrics, change: of list_metrics.js and list_change.js; without(): how many runs
 * are left out, as they do not count in their groups.
 */
export async function saveRuns(runsNow, { reading, columns: columnsNow, metrics, change, without, project }) {
	await settled(reading);
	const [runs, columns, base] = [runsNow(), columnsNow(), change.base()];
	const fault = await metrics.read(base ? [base, ...runs] : runs);
	if (fault) return toast(text.fault.of(fault));
	if (without()) toast(text.workspace.csvWithout(without()));
	const changeAt = (run, key) => base && changeOf(change.valueAt(run, key), change.valueAt(base, key));
	return saveText(runsCsv(runs, columns, change.valueAt, changeAt), 'text/csv', text.workspace.csvName(project));
}
