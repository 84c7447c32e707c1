/*
 * Values of runs under fields (`summary.loss`, `config.lr`), for panels that show a value per run, and of groups of
 * runs. Questions that come within 16 ms for the same runs and groups are sent as one.
 */

import { ask as askServer } from '../../api.js';
import { listText, queryOf } from '../../base/query_text.js';
import { readGroups } from './group_values.js';

const GATHER_MS = 16;
const RUNS = 200;
const FIELDS = 64;

const parts = (list, size) =>
	Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));

/*
 * {want({runs, groups, fields}, listener({values, numbers} or {fault})) -> stop waiting}; values: {run: {field:
 * value}}, undefined where a run has none and null where it has null; numbers: as of group_values.js.
 */
export function runValues(path, { ask = askServer } = {}) {
	let queue = [];
	let timer = 0;

	async function read(runs, fields, values) {
		const answer = await ask('GET', `${path}/runs?${queryOf({ ids: runs.join(','), keys: listText(fields) })}`);
		if (answer.status !== 200) return answer;
		for (const run of answer.body.items) {
			const of = values[run.id] ||= {};
			const nulls = new Set(run.nulls);
			run.values.forEach((value, at) => { of[fields[at]] = value ?? (nulls.has(at) ? null : undefined); });
		}
		return null;
	}

	async function answered(batch) {
		const { runs, groups = [] } = batch[0].question;
		const fields = [...new Set(batch.flatMap((want) => want.question.fields))];
		const values = {};
		const numbers = {};
		const asked = parts(fields, FIELDS).flatMap((of) => [
			...parts(runs, RUNS).map((some) => read(some, of, values)),
			readGroups(path, { groups, fields: of, numbers }, ask),
		]);
		const fault = (await Promise.all(asked)).find(Boolean);
		for (const want of batch) if (!want.gone) want.listener(fault ? { fault } : { values, numbers });
	}

	function send() {
		const batches = new Map();
		for (const want of queue.filter(({ gone }) => !gone)) {
			const who = JSON.stringify([want.question.runs, want.question.groups]);
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
