/* Reads a key across labels over time, in as many columns as most labels have rows for. */

import { ask } from '../api.js';
import { fewerColumns, sheetOf, slowSide } from './ranks.js';

const COLUMNS = 220;
const CELLS = 400000; /* beyond it fewer columns: an answer has each cell as a number */

function read(data, key, columns) {
	const query = new URLSearchParams({ key, x: '_timestamp', columns, slow: slowSide(key) });
	return ask('GET', `${data.path}/ranks?${query}`, undefined, data.options);
}

/* null when it cannot be read. */
export async function readSheet(data, key) {
	const columns = Math.max(20, Math.min(COLUMNS, Math.floor(CELLS / Math.max(1, data.writers.length))));
	let answer = await read(data, key, columns);
	const fewer = answer.status === 200 && fewerColumns(answer.body);
	if (fewer) answer = await read(data, key, fewer);
	if (answer.status !== 200) return null;
	return sheetOf(answer.body, new Map(data.writers.map((writer) => [writer.label, writer.host])));
}
