/* Rows of a run, as many as are looked at: of a run that has more each n-th, and the server leaves out the others. */

import { askStream } from '../../api.js';
import { queryOf } from '../../base/query_text.js';
import { lineCutter } from './row_lines.js';

const SPARSER = 4; /* times as few, where there are too many */
const TRIES = 12;

/* {rows} or {isMany} or an answer that failed; more than `most` are not read to their end. */
async function readSome(path, { most, ...query }, outer) {
	const control = new AbortController();
	const stop = () => control.abort();
	const cut = lineCutter();
	const rows = [];
	let isMany = false;
	outer.addEventListener('abort', stop);
	const answer = await askStream('GET', `${path}/history?${queryOf({ format: 'ndjson', texts: 'whole', ...query })}`, undefined, {
		signal: control.signal,
		accept: 'application/x-ndjson',
		onBytes(chunk) {
			rows.push(...cut(chunk).map((line) => JSON.parse(line)));
			isMany = rows.length > most;
			if (isMany) stop();
		},
	});
	outer.removeEventListener('abort', stop);
	return isMany ? { isMany } : answer.status === 200 ? { rows } : { fault: answer };
}

/* {rows, every} or {fault}; the query is that of …/history. */
async function read(path, { signal, ...query }) {
	let every = 1;
	for (let tries = 0; tries < TRIES; tries++, every *= SPARSER) {
		const { rows, isMany, fault } = await readSome(path, { ...query, every }, signal);
		if (fault || signal.aborted) return { fault };
		if (!isMany) return { rows, every };
	}
	return { fault: { status: 0 } };
}

/* So few are read at a time: a browser has six connections to a host, and others want some. */
const lanes = [Promise.resolve(), Promise.resolve()];
let turn = 0;

/* path: of a run; {rows, every} or {fault}, and neither if the signal ended it. */
export function someRows(path, options) {
	const lane = turn++ % lanes.length;
	const done = lanes[lane].then(() => options.signal.aborted ? {} : read(path, options));
	lanes[lane] = done.catch(() => {}); /* who comes next is read all the same */
	return done;
}
