/*
 * Values of metrics over the histories of the runs in view. Runs that are not known, or have newer rows, are read: all
 * metrics at once, at most once a second, and more rarely if answers take long. The server answers from what it
 * keeps of each run's keys.
 */

import { ask as askServer } from '../../api.js';
import { reread } from '../../base/reread.js';
import { slotOf } from './metric_column.js';
import { isOfMetrics, questionsOf, runPieces } from './metric_question.js';

const REST_MS = 1000;
const PAUSE = 4; /* times as long as an answer took */

/* came(ids): of these runs there are other values, or they could not be read. */
export function metricValues(path, came, { ask = askServer } = {}) {
	const known = new Map(); /* {turn, rows, by}: of which question, how many rows the run had, what it has by slot */
	const refused = new Set(); /* slots that cannot be had, which are not asked for again */
	let failed = new Set(); /* runs that could not be read */
	let turn = 0;
	let wanted = { runs: [], metrics: [] };

	const askable = (metrics) => metrics.filter((metric) => !refused.has(slotOf(metric)));

	function isDue(run, metrics) {
		const one = known.get(run.id);
		const asked = askable(metrics);
		return asked.length > 0
			&& (!one || one.rows !== run.rows || asked.some((metric) => !one.by.has(slotOf(metric))));
	}

	/* Into `found`: the answer that failed, or null. Where something is refused each metric is asked for by itself. */
	async function readQuestion({ metrics, query, sumsOf }, ids, found) {
		const answer = await ask('GET', `${path}/${query(ids)}`);
		if (answer.status === 200) {
			for (const item of answer.body.items)
				sumsOf(item).forEach((sum, at) => found.get(item.id)?.set(slotOf(metrics[at]), sum));
			return null;
		}
		if (!isOfMetrics(answer)) return answer;
		if (metrics.length > 1) return readAll(metrics.flatMap((metric) => questionsOf([metric])), ids, found);
		refused.add(slotOf(metrics[0]));
		return null;
	}

	async function readAll(questions, ids, found) {
		for (const question of questions) {
			const fault = await readQuestion(question, ids, found);
			if (fault) return fault;
		}
		return null;
	}

	/* An answer does not write over that of a later question. */
	async function readSome(runs, metrics) {
		const mine = ++turn;
		const found = new Map(runs.map(({ id }) => [id, new Map()]));
		const fault = await readAll(questionsOf(metrics), [...found.keys()], found);
		if (fault) return fault;
		const slots = askable(metrics).map(slotOf);
		for (const { id, rows } of runs) {
			const by = new Map(slots.map((slot) => [slot, found.get(id).get(slot) ?? null]));
			if (mine > (known.get(id)?.turn ?? 0)) known.set(id, { turn: mine, rows, by });
			failed.delete(id);
		}
		came(new Set(found.keys()));
		return null;
	}

	/* The answer that failed, or null. */
	async function read(runs, metrics) {
		const due = runs.filter((run) => isDue(run, metrics));
		const pieces = runPieces(due, metrics);
		for (const [at, some] of pieces.entries()) {
			const fault = await readSome(some, askable(metrics));
			if (fault) return fail(pieces.slice(at).flat(), fault);
		}
		return null;
	}

	function fail(runs, fault) {
		const ids = runs.map(({ id }) => id);
		failed = new Set([...failed, ...ids]);
		came(new Set(ids));
		return fault;
	}

	const turns = reread(() => read(wanted.runs, wanted.metrics), (took) => Math.max(REST_MS, PAUSE * took));

	return {
		/* metrics: as of metric_column.js, each slot once. */
		want(runs, metrics) {
			wanted = { runs, metrics };
			if (runs.some((run) => isDue(run, metrics))) turns.soon();
		},
		read,
		/* As the server says it of a run; {value, step, best: {value, step}, goal} at a best step. Null: none, or not known. */
		of: (id, metric) => known.get(id)?.by.get(slotOf(metric)) ?? null,
		isKnown: (id, metric) => known.get(id)?.by.has(slotOf(metric)) ?? false,
		/* Returns whether the last read failed or was refused; a known value may then be older than the run's rows. */
		isFailed: (id, metric) => refused.has(slotOf(metric)) || failed.has(id),
		/* Forgets the values of runs; values that the server refused are still not asked for again. */
		forget: () => known.clear(),
		stop: turns.stop,
	};
}
