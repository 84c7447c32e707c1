/* How the server is asked what metrics were: as many at once as it answers, each question with what its answer says. */

import { listed, listText, queryOf } from '../../base/query_text.js';
import { AT, slotOf } from './metric_column.js';

const KEYS = 64; /* of a question: the server's limits */
const RUNS = 200;
const RUNS_AT = 50;
const [TOGETHER, TOGETHER_AT] = [1000, 200]; /* runs of a group */
const KEYS_AT = 16;
const IDS = 12000; /* characters of a question's ids, as they stand in its address */
const REFUSED = [400, 422];
const OF_METRICS = ['keys', 'of', 'by', 'goal'];

const keysOf = (metrics) => listText(metrics.map(({ key }) => key));

/* Pieces of a list, none longer. */
export function piecesOf(list, most) {
	return Array.from({ length: Math.ceil(list.length / most) }, (_, at) => list.slice(at * most, (at + 1) * most));
}

/*
 * {metrics, query(ids), sumsOf(item): of each metric what the run of the item has, or null; together(within): of all
 * runs of a group; numbersOf(body): of each metric numbers over these runs, by how it is summarized}
 */
function overHistory(metrics) {
	const keys = keysOf(metrics);
	return { metrics,
		query: (ids) => `metrics?${queryOf({ ids: ids.join(','), keys })}`,
		sumsOf: (item) => item.metrics,
		together: (within) => `metrics/together?${queryOf({ ...within, keys })}`,
		numbersOf: ({ items }) => items };
}

function atBest(metrics) {
	const { goal, by } = metrics[0];
	const best = { by: listed(by), goal: goal === 'best' ? null : goal, of: keysOf(metrics) };
	return { metrics,
		query: (ids) => `metrics/best?${queryOf({ ids: ids.join(','), ...best })}`,
		sumsOf: ({ values, best: of, goal: which }) => values.map((one) => one && { ...one, best: of, goal: which }),
		together: (within) => `metrics/best/together?${queryOf({ ...within, ...best })}`,
		numbersOf: ({ values }) => values.map((numbers) => ({ [AT]: numbers })) };
}

/* Returns the most runs of a group that the server summarizes. */
export const togetherMost = ({ by }) => by === undefined ? TOGETHER : TOGETHER_AT;

/* Collects the elements of a list that have the same name. */
function alike(list, nameOf) {
	const found = new Map();
	for (const one of list) found.set(nameOf(one), [...found.get(nameOf(one)) ?? [], one]);
	return [...found.values()];
}

export function questionsOf(metrics) {
	const over = metrics.filter(({ by }) => by === undefined);
	const at = alike(metrics.filter(({ by }) => by !== undefined), ({ goal, by }) => JSON.stringify([goal, by]));
	return [...piecesOf(over, KEYS).map(overHistory),
		...at.flatMap((some) => piecesOf(some, KEYS_AT)).map(atBest)];
}

/* Runs by what one question may ask of. */
export function runPieces(runs, metrics) {
	const most = metrics.some(({ by }) => by !== undefined) ? RUNS_AT : RUNS;
	const pieces = [[]];
	let length = 0;
	for (const run of runs) {
		const own = encodeURIComponent(run.id).length + 3;
		if (pieces.at(-1).length === most || (length && length + own > IDS)) {
			pieces.push([]);
			length = 0;
		}
		length += own;
		pieces.at(-1).push(run);
	}
	return pieces.filter((some) => some.length);
}

/* Whether an answer says that a metric cannot be had, and not that the question cannot be answered now, or at all. */
export function isOfMetrics({ status, body }) {
	return REFUSED.includes(status) && OF_METRICS.includes(body?.field);
}

/* Each slot once. */
export function uniqueMetrics(metrics) {
	return [...new Map(metrics.map((metric) => [slotOf(metric), metric])).values()];
}
