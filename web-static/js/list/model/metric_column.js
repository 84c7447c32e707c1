/*
 * Columns of what a metric was over a run's history: `min(train/loss)`; and of what it was at the best step of another:
 * `train/loss@best(eval/acc)`, or `@min(…)`, `@max(…)` where one says which is the best. A summary's value is a column
 * of its own key.
 */

const OVER_ALL = /^(last|min|max|mean)\((.+)\)$/s;
const AT_BEST = /^(.+)@(best|min|max)\((.+)\)$/s;
const SUMMARY = 'summary.';

export const HOWS = ['last', 'min', 'max', 'mean'];
export const AT = 'at'; /* how a column is that is of the best step of another */

/* {how, key}, at a best step {how: AT, key, goal, by}; null of other columns. */
export function metricOf(column) {
	const [, how, key] = OVER_ALL.exec(column) ?? [];
	if (how) return { how, key };
	const [, at, goal, by] = AT_BEST.exec(column) ?? [];
	return at ? { how: AT, key: at, goal, by } : null;
}

/* The metric that a column is of, whichever of its values; null: of none. */
export function metricKey(column) {
	const metric = metricOf(column);
	if (metric) return metric.key;
	return column.startsWith(SUMMARY) ? column.slice(SUMMARY.length) : null;
}

/* `how` is empty for the summary's value. */
export function metricColumn(how, key) {
	return how ? `${how}(${key})` : SUMMARY + key;
}

/* Returns the summary's column of the same metric; null: the column is not of a metric. */
export function summaryColumn(column) {
	const key = metricKey(column);
	return key === null ? null : metricColumn('', key);
}

export function atColumn(key, goal, by) {
	return `${key}@${goal}(${by})`;
}

/* Names the answer that serves a column: one for all values over a metric's history, one per value at a best step. */
export function slotOf({ key, goal, by }) {
	return by === undefined ? metricColumn('last', key) : atColumn(key, goal, by);
}

/* Returns the value that a column shows, from an entry of metric_values.js. */
export function shownOf(metric, sum) {
	return metric.how === AT ? sum?.value : sum?.[metric.how];
}
