/*
 * The table as a file: of runs the columns that are shown, also of runs that were never in view. The list is read
 * to its end, by pages that go on from each other, whatever was scrolled to or opened: grouped or not, all runs that the
 * filter finds, in the order of the list, with the keys of the groups as columns.
 */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { csvLine } from '../base/csv.js';
import { rowFile } from '../base/row_file.js';
import { changeOf } from '../compare/model/model.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { toast } from '../ui/controls.js';
import { progressCard } from '../ui/progress_card.js';
import { saveBlob } from '../ui/save.js';
import { valueOf } from './model/columns.js';
import { metricOf, shownOf } from './model/metric_column.js';
import { uniqueMetrics } from './model/metric_question.js';
import { metricValues } from './model/metric_values.js';
import { runsTable } from './model/runs_table.js';

const words = text.workspace;
const MOST = { rows: 100000, bytes: 256 * 2 ** 20 };
const PAGE = 1000;
const SLOW_MS = 400;

const bytesOf = (line) => new TextEncoder().encode(line);

/* Columns that were just chosen have their values when the last reading has come. */
async function settled(reading) {
	for (let last; last !== reading();) {
		last = reading();
		await last;
	}
}

/* Pages of all runs that are wanted, those on top first, each run once: {runs, count: of all} or {fault}. */
export async function* everyRun(read, onTop, isWanted = () => true) {
	const seen = new Set();
	const once = (runs) => runs.filter((run) => !seen.has(run.id) && seen.add(run.id) && isWanted(run));
	yield { runs: once(onTop), count: null };
	for (let cursor = ''; cursor !== null;) {
		const { status, body, items, ...answer } = await read({ limit: PAGE, count: 'true', cursor });
		if (status !== 200) return void (yield { fault: { status, body, ...answer } });
		cursor = body.next_cursor ?? null;
		yield { runs: once(items), count: body.count + onTop.length };
	}
}

/* Reads the values of cells of runs; those of metrics are read for some runs at a time, and forgotten with them. */
function valuesOf(columns, path, signal) {
	const metrics = uniqueMetrics(columns.map(({ key }) => metricOf(key)).filter(Boolean));
	const values = metricValues(path, () => {}, { ask: (method, place) => ask(method, place, undefined, { signal }) });
	return {
		/* The answer that failed, or null. */
		async read(runs) {
			values.forget();
			return metrics.length ? values.read(runs, metrics) : null;
		},
		at(run, key) {
			const metric = metricOf(key);
			return metric ? shownOf(metric, values.of(run.id, metric)) : valueOf(run, key);
		},
	};
}

/* Returns the table of runs with changes against this baseline; {fault} if its values cannot be read. */
async function tableOf(columns, { values, base }) {
	const fault = base && await values.read([base]);
	if (fault) return { fault };
	const against = new Map(base ? columns.map(({ key }) => [key, values.at(base, key)]) : []);
	return runsTable(columns, values.at, (run, key) => base && changeOf(values.at(run, key), against.get(key)));
}

/* {fault}, {full: what there was no room of} or nothing. */
export async function writeAll(pages, file, { columns, values, base, card }) {
	const { fault: lost, heads, cellsOf } = await tableOf(columns, { values, base });
	if (lost) return { fault: lost };
	file.add([bytesOf(csvLine(heads))], 0);
	for await (const { runs, count, fault } of pages) {
		const failed = fault || await values.read(runs);
		if (failed || card.signal.aborted) return { fault: failed };
		for (const run of runs) {
			const full = file.add([bytesOf(csvLine(cellsOf(run)))]);
			if (full) return { full, count };
		}
		if (count !== null) card.tell(words.csvReading(file.so.rows, count), file.so.rows, count);
	}
	return {};
}

const withGroups = (columns, group) => [
	...group.filter((key) => !columns.some((column) => column.key === key)).map((key) => ({ key })), ...columns];

/*
 * some(): these runs alone, null: all; reading(): the last one's promise; columns(), group(): as they are then;
 * counts(run): in its group; model, change: of list_model.js and list_change.js
 */
export async function saveRuns(some, { reading, columns, model, change, group, counts, address: { entity, project } }) {
	const card = progressCard(words.csvHead, { after: SLOW_MS });
	await settled(reading);
	if (!model.stands()) return card.end();
	const [shown, base, read] = [withGroups(columns(), some ? [] : group()), change.base(), model.reader()];
	let left = 0;
	const isWanted = (run) => counts(run) || !++left;
	const pages = some ? [{ runs: some(), count: null }]
		: everyRun((query) => read(query, { signal: card.signal }), model.base(), isWanted);
	const file = rowFile({ most: MOST });
	const { fault, full, count } = await writeAll(pages, file, { columns: shown, base, card,
		values: valuesOf(shown, apiPath(entity, project), card.signal) });
	if (card.signal.aborted) return undefined;
	if (fault) return card.end(common.fault.of(fault));
	saveBlob(file.blob('text/csv'), words.csvName(project));
	if (!full) toast(words.csvSaved(file.so.rows, !some && group().length > 0));
	if (left) toast(words.csvWithout(left));
	return card.end(full && words.csvMost[full](file.so.rows, count, MOST[full]));
}
