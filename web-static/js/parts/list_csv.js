/* The table as a file: of runs the columns that are shown, also of those whose values nobody saw yet. */

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

/* reading(): the last one's promise; metrics: of list_metrics.js */
export async function saveRuns(runsNow, { reading, columns: columnsNow, metrics, project }) {
	await settled(reading);
	const [runs, columns] = [runsNow(), columnsNow()];
	const fault = await metrics.read(runs);
	if (fault) return toast(text.fault.of(fault));
	const valueOf = (run, key) => {
		const metric = metrics.cellOf(run, key);
		return metric ? metric.value : run.by[key];
	};
	return saveText(runsCsv(runs, columns, valueOf), 'text/csv', text.workspace.csvName(project));
}
