/*
 * The keys that runs of a project have, those of most runs first, and values of one: for columns, groups and
 * completion. If there are more than one answer holds, further keys are requested by what the user types, and chosen keys
 * by their names.
 */

import { apiPath } from '../../address.js';
import { ask } from '../../api.js';
import { queryOf } from '../../base/query_text.js';
import { FIELDS } from './columns.js';
import { suggested } from './key_order.js';
import { metricOf } from './metric_column.js';
import { isRefused, likeKey } from './refused.js';

const KEYS = 1000;
const METRICS = 10000;
const VALUES = 20;
const MATCH = 250; /* bytes of what keys are asked for by: the server's limit, without its slashes */
const PAUSE_MS = 150;
const NUMBERS = ['rows', 'duration', 'writers', 'writers_lost'];
const BELOW = /^(config|summary)\../;
const OWN = /^config\._wandb(\.|$)/; /* the SDK's */
const STATES = ['running', 'finished', 'failed', 'crashed', 'killed', 'pending', 'preempting', 'preempted'];

const GROUP_KEYS = /^(config\..+|group|job_type|user|host|sweep|state)$/;

/* Whether runs can be put together by it. */
export const isGroupKey = (key) => GROUP_KEYS.test(key);

const plain = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
const sizeOf = (text) => new TextEncoder().encode(text).length;

/* Expressions that find these keys, each as long as the server takes one; of a key that is longer its beginning finds it. */
export function expressionsOf(keys) {
	const found = [];
	for (const key of keys) {
		const [name, last] = [`${plain(key)}$`, found.at(-1)];
		const one = sizeOf(name) > MATCH - '^(?:)'.length ? plain(key.slice(0, MATCH / 8)) : name;
		if (last && sizeOf([...last, one].join('|')) <= MATCH - '^(?:)'.length) last.push(one);
		else found.push([one]);
	}
	return found.map((some) => `/^(?:${some.join('|')})/`);
}

export function knownKeys({ entity, project }) {
	const place = apiPath(entity, project);
	const path = `${place}/fields`;
	const values = new Map();
	let fields = [];
	let ordered = null; /* of keys(), as long as the fields are the same */
	let numbers = new Set(NUMBERS);
	let isPart = false; /* there are more */
	const asked = new Set(); /* what was asked for by a name, or by what was typed */
	let finds = 0;

	/* The answer that failed, or null. */
	async function read(query) {
		const answer = await ask('GET', `${path}?${queryOf({ ...query, limit: KEYS })}`);
		if (answer.status !== 200) return answer;
		const found = answer.body.items.filter(({ field }) => !OWN.test(field));
		fields = [...new Set([...query.match ? fields : [], ...found.map(({ field }) => field)])];
		ordered = null;
		numbers = new Set([...query.match ? numbers : NUMBERS,
			...found.filter(({ kinds }) => kinds.includes('number')).map(({ field }) => field)]);
		if (!query.match) {
			isPart = answer.body.count > answer.body.items.length;
			asked.clear();
		}
		return null;
	}

	/* Whether there are others than were known. */
	async function readMore(match) {
		const before = fields.length;
		asked.add(match);
		if (await read({ match })) asked.delete(match);
		return fields.length > before;
	}

	/* Keys that rows have numbers of; null where they cannot be read. */
	async function readMetrics() {
		const answer = await ask('GET', `${place}/keys?${queryOf({ limit: METRICS })}`);
		if (answer.status !== 200) return null;
		return answer.body.items.filter(({ kinds }) => kinds.includes('number')).map(({ key }) => key);
	}

	/* Whether a run has it, or what begins with it and a dot; of what cannot be asked, too. */
	async function hasSome(key) {
		if (fields.includes(key)) return true;
		const match = `${plain(key)}(\\.|$)`;
		if (sizeOf(match) > MATCH - 1) return true;
		const { status, body } = await ask('GET', `${path}?${queryOf({ match: `/^${match}/`, limit: 1 })}`);
		return status !== 200 || body.items.length > 0;
	}

	async function readValues(key) {
		const answer = await ask('GET', `${path}/${encodeURIComponent(key)}/values?${queryOf({ limit: VALUES })}`);
		return answer.status === 200 ? answer.body.items.map(({ value }) => value) : null;
	}

	return {
		/* Fields of runs, then metrics, then configs; parts of images, tables and the like are left out. */
		keys() {
			ordered ??= suggested([...new Set([...FIELDS, ...fields])]);
			return ordered;
		},
		isNumber: (key) => numbers.has(key),
		/* The answer that failed, or null. */
		learn: () => read({}),
		/* Kinds of these keys, where they are not among those that are known; whether there are others now. */
		async learnOf(keys) {
			const wanted = keys.filter((key) => !FIELDS.includes(key) && !fields.includes(key));
			if (!isPart || !wanted.length) return false;
			const matches = expressionsOf(wanted).filter((match) => !asked.has(match));
			return (await Promise.all(matches.map(readMore))).includes(true);
		},
		/*
		 * Keys that have what was typed in them, when typing pauses: a text, or with isExpression what it finds. Whether there
		 * are others now.
		 */
		async find(typed, { isExpression = false } = {}) {
			const mine = ++finds;
			const wanted = isExpression ? typed : plain(typed);
			const match = `/${wanted}/i`;
			if (!isPart || !typed || sizeOf(wanted) > MATCH || asked.has(match)) return false;
			await new Promise((done) => setTimeout(done, PAUSE_MS));
			return mine === finds && readMore(match);
		},
		/* The answer that refuses them, where the server does; asked: {keys} or {order}, as of runs. */
		async refusal(asked) {
			const answer = await ask('GET', `${place}/runs?${queryOf({ ...asked, limit: 1 })}`);
			return isRefused(answer) ? answer : null;
		},
		/* Keys that rows have numbers of, whatever the summary makes of them; none where they cannot be read. */
		metrics: async () => await readMetrics() ?? [],
		/* Returns the first key below a document, or metric of a column, that no run has, and the key it may mean. */
		async missing(keys) {
			for (const key of keys.filter((one) => BELOW.test(one))) if (!await hasSome(key)) return { key, meant: likeKey(key, fields) };
			const metrics = keys.some(metricOf) && await readMetrics();
			if (!metrics || metrics.length === METRICS) return null;
			const key = keys.find((one) => metricOf(one) && !metrics.includes(metricOf(one).key));
			return key ? { key, meant: likeKey(metricOf(key).key, metrics) } : null;
		},
		/* Values of a key, the most frequent first. */
		async values(key) {
			if (key === 'state' || key === 'status') return STATES;
			const found = values.get(key) ?? await readValues(key);
			if (found) values.set(key, found);
			return found ?? [];
		},
	};
}

/* 0: it begins so, or a part of it does; 1: it only holds it; -1: it does not. */
function rankOf(word, wanted) {
	const at = word.toLowerCase().indexOf(wanted);
	return at < 0 ? -1 : at === 0 || /[./_]/.test(word[at - 1]) ? 0 : 1;
}

/* Sorts words with a part that begins with the text first, then words that only contain it. */
export function matching(words, typed, most) {
	const wanted = typed.toLowerCase();
	const ranked = words.map((word) => [rankOf(String(word), wanted), word]).filter(([place]) => place >= 0);
	return ranked.sort((a, b) => a[0] - b[0]).slice(0, most).map(([, word]) => word);
}

/*
 * Whether what is typed at a spot of the filter (spotAt) is only begun: a key that still lacks its relation, a relation
 * without a value, the beginning of values that are known. Numbers of a comparison are whole as they stand.
 */
export function isBegun(filter, { part, typed, from }, words) {
	const before = filter.slice(0, from);
	if (!typed) return /[:=<>]$/.test(before);
	if (part === 'value' && /[<>]=?$/.test(before)) return false;
	const wanted = typed.toLowerCase();
	const found = words.map(String).filter((word) => rankOf(word, wanted) === 0);
	const isTerm = part === 'value' || before.endsWith(':'); /* has:key */
	return found.length > 0 && !(isTerm && found.some((word) => word.toLowerCase() === wanted));
}
