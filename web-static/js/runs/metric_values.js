/*
 * What metrics were over the histories of runs that are seen: of those that are not known, or have rows since, all keys in
 * one question, once a second at most. The server answers from what it keeps of every 256 values.
 */

import { ask as askServer } from '../api.js';
import { reread } from '../reread.js';

const REST_MS = 1000;
const RUNS = 1000; /* of a question, and series: the server's limits */
const SERIES = 20000;
const COLUMNS = ['last', 'min', 'max', 'mean', 'n', 'nan', 'pinf', 'ninf'];

function sumOf({ columns }) {
	return Object.fromEntries(COLUMNS.map((name) => [name, columns[name][0] ?? null]));
}

/* came(ids): of these runs there are other values. */
export function metricValues(path, came, { ask = askServer } = {}) {
	const known = new Map(); /* {turn, rows, by}: of which question, how many rows the run had, and what it has by key */
	let turn = 0;
	let wanted = { runs: [], keys: [] };

	function isDue(run, keys) {
		const one = known.get(run.id);
		return !one || one.rows !== run.rows || keys.some((key) => !one.by.has(key));
	}

	/* An answer does not write over that of a later question. */
	async function readSome(runs, keys) {
		const mine = ++turn;
		const asked = { runs: runs.map(({ id }) => id), panels: [{ keys, buckets: 1, columns: COLUMNS }], format: 'json' };
		const answer = await ask('POST', `${path}/series`, asked);
		if (answer.status !== 200) return answer;
		const noneOf = () => new Map(keys.map((key) => [key, null]));
		const next = new Map(runs.map(({ id, rows }) => [id, { turn: mine, rows, by: noneOf() }]));
		const series = answer.body.pieces.filter(({ piece }) => piece === 'series');
		for (const piece of series) next.get(piece.run).by.set(piece.key, sumOf(piece));
		next.forEach((one, id) => mine > (known.get(id)?.turn ?? 0) && known.set(id, one));
		came(new Set(next.keys()));
		return null;
	}

	/* The answer that failed, or null. */
	async function read(runs, keys) {
		const due = runs.filter((run) => isDue(run, keys));
		const most = Math.min(RUNS, Math.floor(SERIES / keys.length));
		let fault = null;
		for (let from = 0; from < due.length && !fault; from += most) fault = await readSome(due.slice(from, from + most), keys);
		return fault;
	}

	const turns = reread(() => read(wanted.runs, wanted.keys), () => REST_MS);

	return {
		want(runs, keys) {
			wanted = { runs, keys };
			if (runs.some((run) => isDue(run, keys))) turns.soon();
		},
		read,
		/* {last, min, max, mean, n, nan, pinf, ninf}; null: it has none, or it is not known yet. */
		of: (id, key) => known.get(id)?.by.get(key) ?? null,
		stop: turns.stop,
	};
}
