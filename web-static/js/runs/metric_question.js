/* How the server is asked what metrics were: as many at once as it answers, each question with what its answer says. */

import { slotOf } from './metric_column.js';
import { listed, queryOf } from './query_text.js';

export const KEYS = 64; /* of a question: the server's limits */
export const RUNS = 200;

const keysOf = (metrics) => metrics.map(({ key }) => listed(key)).join(',');

/* Pieces of a list, none longer. */
export function piecesOf(list, most) {
	return Array.from({ length: Math.ceil(list.length / most) }, (_, at) => list.slice(at * most, (at + 1) * most));
}

/* {metrics, query(ids), sumsOf(item): of each metric what the run of the item has, or null} */
function overHistory(metrics) {
	return { metrics, query: (ids) => `metrics?${queryOf({ ids: ids.join(','), keys: keysOf(metrics) })}`,
		sumsOf: (item) => item.metrics };
}

export function questionsOf(metrics) {
	return piecesOf(metrics, KEYS).map(overHistory);
}

/* Of all runs of a group what their metrics were. */
export function togetherQuery(within, metrics) {
	return `metrics/together?${queryOf({ ...within, keys: keysOf(metrics) })}`;
}

/* Each slot once. */
export function uniqueMetrics(metrics) {
	return [...new Map(metrics.map((metric) => [slotOf(metric), metric])).values()];
}
