/*
 * Means of metrics over the runs of the groups in view. They are read group by group, for groups that are new or come
 * from a newer answer. Known values of a group are shown until it is read again.
 */

import { ask as askServer } from '../../api.js';
import { reread } from '../../base/reread.js';
import { slotOf } from './metric_column.js';
import { isOfMetrics, questionsOf, togetherMost } from './metric_question.js';

const REST_MS = 1000;
const PAUSE = 4; /* times as long as the answers took */
const TOO_MANY = 422; /* the group has grown since it was read */

/* within(node): the group as a query, null where none can say it; came(nodes): these have others. */
export function groupMetrics(path, { within, came, ask = askServer }) {
	const known = new Map(); /* by the query: {group: as it was received, by: numbers by how by slot, null: refused; isFailed} */
	let wanted = { nodes: [], metrics: [] };

	const idOf = (node) => JSON.stringify(within(node));
	const isTold = (node, metric) => node.group.count <= togetherMost(metric) && within(node) !== null;

	function isDue(node, metrics) {
		const one = known.get(idOf(node));
		const told = metrics.filter((metric) => isTold(node, metric));
		const isOld = one?.group !== node.group || one.isFailed;
		return told.length > 0 && (isOld || told.some((metric) => !one.by.has(slotOf(metric))));
	}

	/* Into `by`: the answer that failed, or null. Where something is refused each metric is asked for by itself. */
	async function readQuestion(node, { metrics, together, numbersOf }, by) {
		const answer = await ask('GET', `${path}/${together(within(node))}`);
		if (answer.status === 200) {
			numbersOf(answer.body).forEach((numbers, at) => by.set(slotOf(metrics[at]), numbers));
			return null;
		}
		if (isOfMetrics(answer) && metrics.length > 1) return readAll(node, metrics.flatMap((one) => questionsOf([one])), by);
		if (!isOfMetrics(answer) && answer.status !== TOO_MANY) return answer;
		metrics.forEach((metric) => by.set(slotOf(metric), null));
		return null;
	}

	async function readAll(node, questions, by) {
		for (const question of questions) {
			const fault = await readQuestion(node, question, by);
			if (fault) return fault;
		}
		return null;
	}

	async function readOne(node, metrics) {
		const id = idOf(node);
		const { group } = node;
		const by = new Map();
		const told = metrics.filter((metric) => isTold(node, metric));
		const fault = await readAll(node, questionsOf(told), by);
		known.set(id, fault ? { group, by: known.get(id)?.by ?? new Map(), isFailed: true } : { group, by, isFailed: false });
		came(new Set([node]));
		return fault;
	}

	async function readWanted() {
		const { nodes, metrics } = wanted;
		for (const node of nodes.filter((one) => isDue(one, metrics))) {
			if (!wanted.nodes.includes(node)) continue;
			const fault = await readOne(node, metrics);
			if (fault) return fault;
		}
		return null;
	}

	const turns = reread(readWanted, (took) => Math.max(REST_MS, PAUSE * took));

	return {
		/* metrics: as of metric_column.js, each slot once. */
		want(nodes, metrics) {
			wanted = { nodes, metrics };
			if (nodes.some((node) => isDue(node, metrics))) turns.soon();
		},
		isTold,
		/* {count, min, max, mean, std}; null: not known. */
		of: (node, metric) => known.get(idOf(node))?.by.get(slotOf(metric))?.[metric.how] ?? null,
		isFailed(node, metric) {
			const one = known.get(idOf(node));
			return Boolean(one) && (one.isFailed || one.by.get(slotOf(metric)) === null);
		},
		stop: turns.stop,
	};
}
