/*
 * The keys that runs of a project have, those of most runs first, and values of one: for columns, groups and
 * completion.
 */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { FIELDS } from './columns.js';
import { queryOf } from './query_text.js';
import { isRefused } from './refused.js';

const KEYS = 1000;
const METRICS = 10000;
const VALUES = 20;
const NUMBERS = ['rows', 'duration', 'writers'];
const OWN = /^config\._wandb(\.|$)/; /* the SDK's */
const STATES = ['running', 'finished', 'failed', 'crashed', 'killed', 'pending', 'preempting', 'preempted'];

const GROUP_KEYS = /^(config\..+|group|job_type|user|host|sweep|state)$/;

/* Whether runs can be put together by it. */
export const isGroupKey = (key) => GROUP_KEYS.test(key);

export function knownKeys({ entity, project }) {
	const place = apiPath(entity, project);
	const path = `${place}/fields`;
	const values = new Map();
	let fields = [];
	let numbers = new Set(NUMBERS);

	async function readValues(key) {
		const answer = await ask('GET', `${path}/${encodeURIComponent(key)}/values?${queryOf({ limit: VALUES })}`);
		return answer.status === 200 ? answer.body.items.map(({ value }) => value) : [];
	}

	return {
		keys: () => [...new Set([...FIELDS, ...fields])],
		isNumber: (key) => numbers.has(key),
		/* The answer that failed, or null. */
		async learn() {
			const answer = await ask('GET', `${path}?${queryOf({ limit: KEYS })}`);
			if (answer.status !== 200) return answer;
			const found = answer.body.items.filter(({ field }) => !OWN.test(field));
			fields = found.map(({ field }) => field);
			numbers = new Set([...NUMBERS, ...found.filter(({ kinds }) => kinds.includes('number')).map(({ field }) => field)]);
			return null;
		},
		/* The answer that refuses them, where the server does; asked: {keys} or {order}, as of runs. */
		async refusal(asked) {
			const answer = await ask('GET', `${place}/runs?${queryOf({ ...asked, limit: 1 })}`);
			return isRefused(answer) ? answer : null;
		},
		/* Keys that rows have numbers of, whatever the summary makes of them; none where they cannot be read. */
		async metrics() {
			const answer = await ask('GET', `${place}/keys?${queryOf({ limit: METRICS })}`);
			const items = answer.status === 200 ? answer.body.items : [];
			return items.filter(({ kinds }) => kinds.includes('number')).map(({ key }) => key);
		},
		/* Values of a key, the most frequent first. */
		async values(key) {
			if (key === 'state') return STATES;
			if (!values.has(key)) values.set(key, await readValues(key));
			return values.get(key);
		},
	};
}

/* What matches stands first where it begins so; then where it only holds it. */
export function matching(words, typed, most) {
	const wanted = typed.toLowerCase();
	const rank = (word) => {
		const at = word.toLowerCase().indexOf(wanted);
		return at < 0 ? -1 : at === 0 || /[./_]/.test(word[at - 1]) ? 0 : 1;
	};
	const ranked = words.map((word) => [rank(String(word)), word]).filter(([place]) => place >= 0);
	return ranked.sort((a, b) => a[0] - b[0]).slice(0, most).map(([, word]) => word);
}
