/*
 * The rows that a panel of lines is of, as the server has them: run after run, up to a number that a page can hold.
 */

import { askStream } from '../api.js';
import { listed, queryOf } from '../runs/query_text.js';
import { lineCutter } from './row_lines.js';

export const ROWS_MOST = 1000000;

/* Rows of one run. Gives the answer; that it was cut off where there are enough is no fault. */
async function readRun(path, { query, most, signal, onlines }, ask) {
	const control = new AbortController();
	const stop = () => control.abort();
	const cut = lineCutter();
	let left = most;
	let isCut = false;
	signal.addEventListener('abort', stop);
	const answer = await ask('GET', `${path}/history?${query}`, undefined, {
		signal: control.signal,
		accept: 'application/x-ndjson',
		onBytes(chunk) {
			if (isCut) return;
			const lines = cut(chunk);
			const some = lines.slice(0, left);
			isCut = lines.length > left;
			left -= some.length;
			if (some.length) onlines(some);
			if (isCut) stop();
		},
	});
	signal.removeEventListener('abort', stop);
	return isCut ? { status: 200, isCut } : answer;
}

/*
 * runs: [{id, name}]; keys: of which rows have at least one; from, to: steps. take(run, lines of JSON); told(nth run,
 * rows so far). Gives {isCut}, {fault: an answer} or, where it was stopped, {}.
 */
export async function readExact({ path, runs, keys, zoom, signal, take, told, most = ROWS_MOST }, ask = askStream) {
	const [from, to] = zoom || [];
	const query = queryOf({ format: 'ndjson', keys: keys.map(listed).join(','), from, to });
	let rows = 0;
	for (const [at, run] of runs.entries()) {
		told(at + 1, rows);
		const onlines = (lines) => {
			rows += lines.length;
			take(run, lines);
			told(at + 1, rows);
		};
		const answer = await readRun(`${path}/runs/${encodeURIComponent(run.id)}`,
			{ query, most: most - rows, signal, onlines }, ask);
		if (signal.aborted) return {};
		if (answer.status !== 200) return { fault: answer };
		if (answer.isCut) return { isCut: true };
	}
	return { isCut: false };
}
