/*
 * What metrics were in the runs of groups that are seen, on average: asked group by group, those that are new or come
 * from a newer answer. What was known of a group stays until it is read again.
 */

import { ask as askServer } from '../api.js';
import { reread } from '../reread.js';
import { KEYS, isOfMetrics, togetherQuery } from './metric_question.js';

const REST_MS = 1000;
const PAUSE = 4; /* times as long as the answers took */
const TOO_MANY = 422; /* the group has grown since it was read */
export const TOGETHER_MOST = 1000; /* runs of a group that the server sums up */

/* within(node): the group as a query, null where none can say it; came(nodes): these have others. */
export function groupMetrics(path, { within, came, ask = askServer }) {
	const known = new Map(); /* by the query: {node, by: numbers by how by key, null: refused; isFailed} */
	let wanted = { nodes: [], metrics: [] };
	let took = 0;

	const idOf = (node) => JSON.stringify(within(node));
	const isTold = (node) => node.group.count <= TOGETHER_MOST && within(node) !== null;

	function isDue(node, metrics) {
		const one = known.get(idOf(node));
		return isTold(node) && (one?.node !== node || one.isFailed || metrics.some(({ key }) => !one.by.has(key)));
	}

	/* Into `by`: the answer that failed, or null. Where something is refused each key is asked for by itself. */
	async function readKeys(node, metrics, by) {
		const answer = await ask('GET', `${path}/${togetherQuery(within(node), metrics)}`);
		if (answer.status === 200) {
			for (const { key, ...numbers } of answer.body.items) by.set(key, numbers);
			return null;
		}
		if (isOfMetrics(answer) && metrics.length > 1) {
			for (const metric of metrics) {
				const fault = await readKeys(node, [metric], by);
				if (fault) return fault;
			}
			return null;
		}
		if (!isOfMetrics(answer) && answer.status !== TOO_MANY) return answer;
		metrics.forEach(({ key }) => by.set(key, null));
		return null;
	}

	async function readOne(node, metrics) {
		const id = idOf(node);
		const by = new Map();
		const fault = await readKeys(node, metrics, by);
		known.set(id, fault ? { node, by: known.get(id)?.by ?? new Map(), isFailed: true } : { node, by, isFailed: false });
		came(new Set([node]));
		return fault;
	}

	async function readWanted() {
		const began = performance.now();
		const { nodes, metrics } = wanted;
		for (const node of nodes.filter((one) => isDue(one, metrics))) {
			if (!wanted.nodes.includes(node)) continue;
			const fault = await readOne(node, metrics);
			if (fault) return fault;
		}
		took = performance.now() - began;
		return null;
	}

	const turns = reread(readWanted, () => Math.max(REST_MS, PAUSE * took));

	return {
		/* metrics: each key once. */
		want(nodes, metrics) {
			wanted = { nodes, metrics: metrics.slice(0, KEYS) };
			if (wanted.metrics.length && nodes.some((node) => isDue(node, wanted.metrics))) turns.soon();
		},
		isTold,
		/* {count, min, max, mean, std}; null: not known. */
		of: (node, { key, how }) => known.get(idOf(node))?.by.get(key)?.[how] ?? null,
		isFailed(node, { key }) {
			const one = known.get(idOf(node));
			return Boolean(one) && (one.isFailed || one.by.get(key) === null);
		},
		stop: turns.stop,
	};
}
