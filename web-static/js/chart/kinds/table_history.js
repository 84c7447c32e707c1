/* The steps at which a run logged a table, and the files that have it. */

import { askLines } from '../../api_forms.js';
import { listText, queryOf } from '../../base/query_text.js';

const PARTS = ['_type', 'path'];

/* Each file of an incremental table has the rows since the file before. */
export const isIncremental = (type) => type === 'incremental-table-file';

/* {steps: [{step, path, type}] in their order} or {fault}. path: of the run. */
export async function tableHistory(path, key, signal) {
	const names = PARTS.map((part) => `${key}.${part}`);
	const answer = await askLines(`${path}/history?${queryOf({ format: 'ndjson', texts: 'whole', keys: listText(names) })}`, { signal });
	if (answer.status !== 200) return { fault: answer };
	const steps = answer.items.map((row) => ({ step: row._step, type: row[names[0]], path: row[names[1]] }));
	return { steps: steps.filter((one) => typeof one.path === 'string').sort((a, b) => a.step - b.step) };
}

/* Returns the source of the table of a step: of an incremental one all files up to there. pathOf(path of a file of the run). */
export function sourceAt(steps, at, pathOf) {
	const { type, path } = steps[at];
	if (!isIncremental(type)) return { path: pathOf(path) };
	return { paths: steps.slice(0, at + 1).filter((one) => isIncremental(one.type)).map((one) => pathOf(one.path)) };
}
