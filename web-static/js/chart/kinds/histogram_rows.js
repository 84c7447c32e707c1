/*
 * The histograms of a run, as many of them as are looked at: of a run that has more each n-th, and the server leaves
 * out the others.
 */

import { askStream } from '../../api.js';
import { listText, queryOf } from '../../base/query_text.js';
import { lineCutter } from '../data/row_lines.js';
import { histogramOf } from './histogram.js';

export const MOST = 600;
const SPARSER = 4; /* times as few, where there are too many */
const TRIES = 12;
const PARTS = ['values', 'bins', 'packedBins.min', 'packedBins.size', 'packedBins.count'];

/* {rows} or {isMany} or an answer that failed; more than MOST are not read to their end. */
async function readSome(path, { keys, from, to, every }, outer) {
	const control = new AbortController();
	const stop = () => control.abort();
	const cut = lineCutter();
	const rows = [];
	let isMany = false;
	outer.addEventListener('abort', stop);
	const answer = await askStream(
		'GET',
		`${path}/history?${queryOf({ format: 'ndjson', texts: 'whole', keys, from, to, every })}`,
		undefined,
		{
			signal: control.signal,
			accept: 'application/x-ndjson',
			onBytes(chunk) {
				rows.push(...cut(chunk).map((line) => JSON.parse(line)));
				isMany = rows.length > MOST;
				if (isMany) stop();
			},
		},
	);
	outer.removeEventListener('abort', stop);
	return isMany ? { isMany } : answer.status === 200 ? { rows } : { fault: answer };
}

/* So few are read at a time: a browser has six connections to a host, and others want some. */
const lanes = [Promise.resolve(), Promise.resolve()];
let turn = 0;

/* {histograms, odd, every} or {fault}: `odd` rows are no histograms. zoom: [from, to] in steps, or null. */
export function readHistograms(path, key, options) {
	const lane = turn++ % lanes.length;
	const done = lanes[lane].then(() => options.signal.aborted ? {} : readAll(path, key, options));
	lanes[lane] = done.catch(() => {}); /* who comes next is read all the same */
	return done;
}

async function readAll(path, key, { zoom = null, signal }) {
	const keys = listText(PARTS.map((part) => `${key}.${part}`));
	const [from, to] = zoom || [null, null];
	let every = 1;
	for (let tries = 0; tries < TRIES; tries++, every *= SPARSER) {
		const { rows, isMany, fault } = await readSome(path, { keys, from, to, every }, signal);
		if (fault || signal.aborted) return { fault };
		if (isMany) continue;
		const histograms = rows.map((row) => histogramOf(row, key)).filter(Boolean).sort((a, b) => a.step - b.step);
		return { histograms, odd: rows.length - histograms.length, every };
	}
	return { fault: { status: 0 } };
}
