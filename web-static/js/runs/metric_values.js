/*
 * What metrics were over the histories of runs that are seen: of those that are not known, or have rows since, all keys
 * in one question, once a second at most, and more seldom where answers take long. The server answers from what it
 * keeps of every 256 values.
 */

import { ask as askServer } from '../api.js';
import { reread } from '../reread.js';

const REST_MS = 1000;
const PAUSE = 4; /* times as long as an answer took */
const REFUSED = [400, 422]; /* answers that say that something asked for cannot be had */
const RUNS = 1000; /* of a question, and series: the server's limits */
const SERIES = 20000;
const COLUMNS = ['last', 'min', 'max', 'mean', 'n', 'nan', 'pinf', 'ninf'];

function sumOf({ columns }) {
	return Object.fromEntries(COLUMNS.map((name) => [name, columns[name][0] ?? null]));
}

/* came(ids): of these runs there are other values, or they could not be read. */
export function metricValues(path, came, { ask = askServer } = {}) {
	const known = new Map(); /* {turn, rows, by}: of which question, how many rows the run had, and what it has by key */
	const refused = new Set(); /* keys that cannot be had, which are not asked for again */
	let failed = new Set(); /* runs that could not be read */
	let turn = 0;
	let took = 0;
	let wanted = { runs: [], keys: [] };

	const askable = (keys) => keys.filter((key) => !refused.has(key));

	function isDue(run, keys) {
		const one = known.get(run.id);
		const asked = askable(keys);
		return asked.length > 0 && (!one || one.rows !== run.rows || asked.some((key) => !one.by.has(key)));
	}

	/* {series} or {fault}. Where something of the question is refused each key is asked for by itself. */
	async function seriesOf(runs, keys) {
		if (!keys.length) return { series: [] };
		const panels = [{ keys, buckets: 1, columns: COLUMNS }];
		const answer = await ask('POST', `${path}/series`, { runs, panels, format: 'json' });
		const pieces = answer.status === 200 ? answer.body.pieces : [];
		const isRefused = REFUSED.includes(answer.status) || pieces.some(({ piece }) => piece === 'error');
		if (!isRefused && answer.status !== 200) return { fault: answer };
		if (isRefused && keys.length > 1) return seriesOfEach(runs, keys);
		if (isRefused) refused.add(keys[0]);
		return { series: pieces.filter(({ piece }) => piece === 'series') };
	}

	async function seriesOfEach(runs, keys) {
		const all = [];
		for (const key of keys) {
			const { series, fault } = await seriesOf(runs, [key]);
			if (fault) return { fault };
			all.push(...series);
		}
		return { series: all };
	}

	/* An answer does not write over that of a later question. */
	async function readSome(runs, keys) {
		const mine = ++turn;
		const { series, fault } = await seriesOf(runs.map(({ id }) => id), keys);
		if (fault) return fault;
		const noneOf = () => new Map(askable(keys).map((key) => [key, null]));
		const next = new Map(runs.map(({ id, rows }) => [id, { turn: mine, rows, by: noneOf() }]));
		for (const piece of series) next.get(piece.run).by.set(piece.key, sumOf(piece));
		next.forEach((one, id) => mine > (known.get(id)?.turn ?? 0) && known.set(id, one));
		runs.forEach(({ id }) => failed.delete(id));
		came(new Set(next.keys()));
		return null;
	}

	/* The answer that failed, or null. */
	async function read(runs, keys) {
		const due = runs.filter((run) => isDue(run, keys));
		const most = Math.min(RUNS, Math.floor(SERIES / keys.length));
		for (let from = 0; from < due.length; from += most) {
			const fault = await readSome(due.slice(from, from + most), askable(keys));
			if (fault) return fail(due.slice(from), fault);
		}
		return null;
	}

	function fail(runs, fault) {
		const ids = runs.map(({ id }) => id);
		failed = new Set([...failed, ...ids]);
		came(new Set(ids));
		return fault;
	}

	async function readWanted() {
		const began = performance.now();
		const fault = await read(wanted.runs, wanted.keys);
		took = performance.now() - began;
		return fault;
	}

	const turns = reread(readWanted, () => Math.max(REST_MS, PAUSE * took));

	return {
		want(runs, keys) {
			wanted = { runs, keys };
			if (runs.some((run) => isDue(run, keys))) turns.soon();
		},
		read,
		/* {last, min, max, mean, n, nan, pinf, ninf}; null: it has none, or it is not known. */
		of: (id, key) => known.get(id)?.by.get(key) ?? null,
		isKnown: (id, key) => known.get(id)?.by.has(key) ?? false,
		/* What is known may be older than its rows. */
		isFailed: (id, key) => refused.has(key) || failed.has(id),
		stop: turns.stop,
	};
}
