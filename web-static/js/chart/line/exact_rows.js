/*
 * The rows that a panel of lines is of, as the server has them: run after run, each with whose it is in front, up to
 * what a page can hold. What the server says of a row is kept as it came, but that no text of CSV is a formula.
 */

import { ask, askStream } from '../../api.js';
import { csvOf } from '../../base/csv.js';
import { listText, queryOf } from '../../base/query_text.js';
import { plainRow } from '../data/csv_row.js';
import { rowCutter } from '../data/row_lines.js';

const bytesOf = (text) => new TextEncoder().encode(text);
const lineOf = (cells) => csvOf(cells, []).replace(/\r\n$/, ',');
const GONE = [404, 410];

/* By the kind of a file: what a row of a run begins with, and what follows of its own; no metric is named so. */
export const FORMS = {
	ndjson: {
		type: 'application/x-ndjson', own: (row) => row.subarray(1), hasHead: false,
		before: ({ id, name }) => bytesOf(`${JSON.stringify({ _run: id, _name: name }).slice(0, -1)},`),
	},
	csv: {
		type: 'text/csv', own: plainRow, hasHead: true, head: bytesOf(lineOf(['_run', '_name'])),
		before: ({ id, name }) => bytesOf(lineOf([id, name])),
	},
};

/* Returns a function that adds rows of one run (bytes) to the file, which has one head. It returns what did not fit. */
function rowTaker(run, { form, file }) {
	const cut = rowCutter({ isQuoted: form.hasHead });
	const before = form.before(run);
	let isHead = form.hasHead;
	return (chunk) => {
		for (const row of cut(chunk)) {
			const full = isHead ? !file.so.bytes && file.add([form.head, form.own(row)], 0)
				: file.add([before, form.own(row)]);
			isHead = false;
			if (full) return full;
		}
		return null;
	};
}

/* Rows of one run. Gives the answer; that it was cut off where the file is full is no fault. */
async function readRun(path, { accept, take, signal, came }, stream) {
	const control = new AbortController();
	const stop = () => control.abort();
	let full = null;
	signal.addEventListener('abort', stop);
	const answer = await stream('GET', path, undefined, {
		signal: control.signal,
		accept,
		onBytes(chunk) {
			full ||= take(chunk);
			if (full) stop();
			else came();
		},
	});
	signal.removeEventListener('abort', stop);
	return full ? { status: 200, full } : answer;
}

/* Whether a run is gone, which rows that break off do not say: it is asked for. Else the fault, if there is one. */
async function endOf(answer, path, { signal, look }) {
	if (answer.status === 200) return {};
	const now = answer.status === 0 ? await look('GET', path, undefined, { signal }) : answer;
	if (GONE.includes(now.status)) return { isGone: true };
	return { fault: now.status === 200 ? answer : now };
}

/*
 * runs: [{id, name}]; keys: of which rows have at least one; zoom: steps; kind: of FORMS; file: of exact_file.js;
 * progress(nth run, rows so far). Gives {full: null or what there was no room of, gone, cut: names of runs that were deleted
 * before their first row was read, or after}, {fault: an answer} or, where it was stopped, {}.
 */
export async function readExact({ path, runs, keys, zoom, kind, file, signal, progress }, { stream = askStream, look = ask } = {}) {
	const [from, to] = zoom || [];
	const query = queryOf({ format: kind, texts: 'whole', keys: listText(keys), from, to });
	const left = { gone: [], cut: [] };
	for (const [at, run] of runs.entries()) {
		const home = `${path}/runs/${encodeURIComponent(run.id)}`;
		const before = file.so.rows;
		const came = () => progress(at + 1, file.so.rows);
		const take = rowTaker(run, { form: FORMS[kind], file });
		came();
		const answer = await readRun(`${home}/history?${query}`, { accept: FORMS[kind].type, take, signal, came }, stream);
		const { isGone, fault } = signal.aborted ? {} : await endOf(answer, home, { signal, look });
		if (signal.aborted) return {};
		if (fault) return { fault };
		if (isGone) left[file.so.rows > before ? 'cut' : 'gone'].push(run.name);
		if (answer.full) return { full: answer.full, ...left };
	}
	return { full: null, ...left };
}
