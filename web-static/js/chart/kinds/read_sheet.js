/* Reads what ranks are compared by across labels over time, in as many columns as most labels have values for. */

import { ask } from '../../api.js';
import { fewerColumns, sheetOf } from './ranks.js';

const COLUMNS = 220;
const COLUMNS_LEAST = 20;
const CELLS = 400000; /* beyond it fewer columns: an answer has each cell as a number */

function readKey(data, { name, side, x = '_timestamp' }, { wide, span }) {
	const query = new URLSearchParams({ key: name, x, columns: wide, slow: side });
	for (const [at, end] of (span || []).entries()) query.set(['from', 'to'][at], end);
	return ask('GET', `${data.path}/ranks?${query}`, undefined, data.options);
}

async function read(data, measure, look) {
	if (measure.kind === 'key') return readKey(data, measure, look);
	const part = await import('./measure_read.js').catch(() => null);
	return part ? part.readMeasure(data, measure, look) : { status: 0 };
}

/*
 * data: of run_data.js; `labels`, where its writers are not known: how many. span: [from, to] in seconds, or in units of
 * the measure's x, or null. null when it cannot be read, a sheet with `fault` when that is not to be.
 */
export async function readSheet(data, measure, span) {
	const writers = Math.max(1, data.labels ?? data.writers.length);
	const wide = Math.max(COLUMNS_LEAST, Math.min(COLUMNS, Math.floor(CELLS / writers)));
	let answer = await read(data, measure, { wide, span });
	const fewer = answer.status === 200 && fewerColumns(answer.body);
	if (fewer) answer = await read(data, measure, { wide: fewer, span });
	if (answer.status === 422) return { rows: [], wide: 0, name: measure.name, fault: answer.body.detail };
	if (answer.status !== 200) return null;
	return sheetOf(answer.body, new Map(data.writers.map((writer) => [writer.label, writer.host])), measure);
}
