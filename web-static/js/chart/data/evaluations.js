/*
 * When a run was evaluated: the rows that have keys of a section like eval, val or test, or keys that begin so. Of each
 * such section one key is asked for, along the axis that a chart has.
 */

import { ask as askServer } from '../../api.js';
import { number } from '../../base/format.js';
import { listed, queryOf } from '../../base/query_text.js';
import { isTransient, reread } from '../../base/reread.js';
import { text } from '../../text/tip.js';
import { prefixOf } from '../panel/sections.js';

const NAME = '(?:eval|evaluation|val|valid|validation|test)';
const SECTION = new RegExp(`(?:^|[/_.-])${NAME}(?:[/_.-]|$)`, 'i');
const BEGIN = new RegExp(`^${NAME}(?=[_.-])`, 'i');
const ROWS = 500; /* a key of more is one of every row */
const SECTIONS = 4;
const BUCKETS = 20000; /* so that each row has its own */
const REST_MS = 5000;

function placeOf(key) {
	const section = prefixOf(key);
	if (section) return SECTION.test(section) ? section : null;
	return BEGIN.exec(key)?.[0] ?? null;
}

/* items: of GET …/keys of a run. [{name, key, count}], the key of each section that most rows have. Pure. */
export function evaluatedKeys(items) {
	const found = new Map();
	for (const { key, count, kinds } of items) {
		const name = kinds?.includes('number') ? placeOf(key) : null;
		if (name !== null && !(found.get(name)?.count >= count)) found.set(name, { name, key, count });
	}
	return [...found.values()].filter(({ count }) => count <= ROWS).slice(0, SECTIONS);
}

/* path: of the run; changed(): there are others. Gives {set(items of keys), at(x) -> [{x, name, kind}], stop()}. */
export function evaluationsOfRun(path, changed, { ask = askServer } = {}) {
	const places = new Map(); /* by the axis */
	let keys = [];

	async function readAlong(x, of, signal) {
		const answers = await Promise.all(of.map(({ key }) => ask('GET',
			`${path}/history?${queryOf({ keys: listed(key), x, buckets: BUCKETS })}`, undefined, { signal })));
		const fault = answers.find(({ status }) => status !== 200);
		if (fault) return isTransient(fault) ? fault : null;
		const marks = ({ body }, nth) => body.series.flatMap(({ buckets }) => buckets.map((one) => (
			{ x: one.x_first, name: text.marks.evaluated(of[nth].key, number(one.last)), kind: 'evaluation' })));
		places.set(x, answers.flatMap(marks));
		return null;
	}

	async function read(signal) {
		const of = keys;
		const faults = await Promise.all([...places.keys()].map((x) => readAlong(x, of, signal)));
		if (signal.aborted) return null;
		changed();
		return faults.find(Boolean) ?? null;
	}

	const turns = reread(read, () => REST_MS);

	return {
		at(x) {
			if (!keys.length) return [];
			if (!places.has(x)) {
				places.set(x, []);
				turns.soon();
			}
			return places.get(x);
		},
		set(items) {
			const next = evaluatedKeys(items);
			if (JSON.stringify(next) === JSON.stringify(keys)) return;
			const isFirst = !keys.length;
			keys = next;
			if (isFirst) changed();
			else if (places.size) turns.soon();
		},
		stop: turns.stop,
	};
}
