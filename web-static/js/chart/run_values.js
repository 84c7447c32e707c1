/*
 * What runs have under fields (`summary.loss`, `config.lr`), for panels that have a value a run. What is asked within
 * 16 ms of the same runs is one question.
 */

import { ask as askServer } from '../api.js';
import { queryOf } from '../runs/run_query.js';

const GATHER_MS = 16;
const RUNS = 200;
const FIELDS = 64;

const parts = (list, size) =>
	Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));

/* {want({runs, fields}, listener({values} or {fault})) -> stop waiting}; values: {run: {field: value}}. */
export function runValues(path, { ask = askServer } = {}) {
	let queue = [];
	let timer = 0;

	async function read(runs, fields, values) {
		const answer = await ask('GET', `${path}/runs?${queryOf({ ids: runs.join(','), keys: fields.join(',') })}`);
		if (answer.status !== 200) return answer;
		for (const run of answer.body.items) {
			const of = values[run.id] ||= {};
			run.values.forEach((value, at) => { of[fields[at]] = value; });
		}
		return null;
	}

	async function answered(batch) {
		const { runs } = batch[0].question;
		const fields = [...new Set(batch.flatMap((want) => want.question.fields))].filter(
			(field) => !field.includes(','),
		); /* which stands between keys */
		const values = {};
		const asked = parts(runs, RUNS).flatMap((some) => parts(fields, FIELDS).map((of) => read(some, of, values)));
		const fault = (await Promise.all(asked)).find(Boolean);
		for (const want of batch) if (!want.gone) want.listener(fault ? { fault } : { values });
	}

	function send() {
		const batches = new Map();
		for (const want of queue.filter(({ gone }) => !gone)) {
			const who = JSON.stringify(want.question.runs);
			batches.set(who, [...batches.get(who) || [], want]);
		}
		queue = [];
		timer = 0;
		for (const batch of batches.values()) answered(batch);
	}

	return {
		want(question, listener) {
			const wanted = { question, listener, gone: false };
			queue.push(wanted);
			timer ||= setTimeout(send, GATHER_MS);
			return () => { wanted.gone = true; };
		},
	};
}
