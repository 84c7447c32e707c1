/*
 * All that is compared of some runs, each document bounded: of one that is larger it is said so, and it is left out.
 * Few are read at a time.
 */

import { apiPath } from '../../address.js';
import { ask, askAll, askStream } from '../../api.js';
import { exactJson } from '../../base/exact_json.js';
import { filePath } from '../../files/file_parts.js';
import { readGroup } from './group_read.js';

export const RUNS = 20; /* and groups */
export const DOCUMENT_BYTES = 4 << 20;
const WRITERS = 2000;
const KEYS = 10000;
const FOUND = 20;
const AT_ONCE = 2; /* runs; a browser gives a host six connections */
const NO_ANSWER = { status: 0, wait: 1, body: null };
const NO_RUNS = { status: 200, body: { items: [] } };
const FILES = { metadata: 'wandb-metadata.json', requirements: 'requirements.txt', diff: 'diff.patch' };

/* {text} or {answer}, or {isLarge}. */
async function readText(path, signal) {
	const tooLarge = new AbortController();
	const decoder = new TextDecoder();
	let text = '';
	let size = 0;
	const answer = await askStream('GET', path, undefined, { signal: AbortSignal.any([signal, tooLarge.signal]), onBytes: (bytes) => {
		size += bytes.length;
		if (size > DOCUMENT_BYTES) tooLarge.abort();
		else text += decoder.decode(bytes, { stream: true });
	} });
	if (size > DOCUMENT_BYTES) return { isLarge: true };
	return answer.status === 200 ? { text: text + decoder.decode() } : { answer };
}

/* {value} or {answer}, or {isLarge}. What is no JSON is not the server's answer. */
export async function readDocument(path, signal) {
	const { text, ...rest } = await readText(path, signal);
	if (text === undefined) return rest;
	try {
		return { value: exactJson(text) };
	} catch {
		return { answer: NO_ANSWER };
	}
}

/* Returns the content of a file of the run; '' if there is none or it cannot be read. */
async function readFile(path, name, signal) {
	const list = await ask('GET', `${path}/files?pattern=${encodeURIComponent(name.replaceAll('_', '\\_'))}`, undefined,
		{ signal });
	if (list.status !== 200 || !list.body.items.some((file) => file.name === name)) return '';
	return (await readText(filePath(path, name), signal)).text ?? '';
}

function parsed(text) {
	try {
		const value = JSON.parse(text);
		return value && typeof value === 'object' ? value : null;
	} catch {
		return null;
	}
}

async function readOne(path, signal) {
	const [config, summary] = await Promise.all([readDocument(`${path}/config`, signal),
		readDocument(`${path}/summary`, signal)]);
	const fault = [config, summary].find(({ answer }) => answer)?.answer;
	return { fault, config: config.value ?? {}, summary: summary.value ?? {},
		large: [config.isLarge && 'config', summary.isLarge && 'summary'].filter(Boolean) };
}

/* Reads the writers and environment of a run. A process sends its environment once: a known one is not read again. */
async function readAround(path, known, signal) {
	const [writers, metadata, requirements] = await Promise.all([askAll(`${path}/writers`, { most: WRITERS, signal }),
		known?.metadata ?? readFile(path, FILES.metadata, signal).then(parsed),
		known?.requirements || readFile(path, FILES.requirements, signal)]);
	return { fault: writers.status === 200 ? null : writers, writers: writers.body?.items ?? [],
		areCut: writers.body?.isCut === true, metadata, requirements };
}

async function some(items, work) {
	const results = [];
	let next = 0;
	const worker = async () => {
		for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
	return results;
}

/* The latest ones, or those in whose names, ids or tags it stands. */
function findPath(place, typed) {
	const query = new URLSearchParams({ limit: FOUND, ...(typed && { filter: `"${typed.replace(/[\\"]/g, '\\$&')}"` }) });
	return `${place}/runs?${query}`;
}

export function compareReader({ entity, project }) {
	const place = apiPath(entity, project);
	const ends = new AbortController();
	const { signal } = ends;
	const pathOf = (id) => apiPath(entity, project, id);
	let directions = [];

	/* Reads runs, if there are any, and the directions of the project, which stay as they were until the answer. */
	async function readRuns(ids) {
		const [runs, settings] = await Promise.all([
			ids.length ? ask('GET', `${place}/runs?ids=${encodeURIComponent(ids.join(','))}&keys=writers`, undefined, { signal })
				: NO_RUNS,
			ask('GET', place, undefined, { signal }),
		]);
		if (settings.status === 200) ({ directions } = settings.body);
		return runs;
	}

	return {
		runs: readRuns,
		directions: () => directions,
		documents: (ids) => some(ids, (id) => readOne(pathOf(id), signal)),
		around: (ids, known) => some(ids, (id) => readAround(pathOf(id), known.get(id), signal)),
		group: ({ question, key }) => readGroup({ question, key, some,
			get: (what, query) => ask('GET', `${place}/${what}?${query}`, undefined, { signal }) }),
		names: (query) => ask('GET', `${place}/groups?${query}`, undefined, { signal }),
		diff: (id) => readFile(pathOf(id), FILES.diff, signal),
		keys: (filter) => ask('GET', `${place}/keys?limit=${KEYS}&filter=${encodeURIComponent(filter)}`, undefined,
			{ signal }),
		find: (typed) => ask('GET', findPath(place, typed), undefined, { signal }),
		stop: () => ends.abort(),
	};
}
