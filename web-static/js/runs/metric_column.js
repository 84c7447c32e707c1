/*
 * Columns of what a metric was over a run's history: `min(train/loss)`. A summary's value is a column of its own key.
 */

const FORM = /^(last|min|max|mean)\(([^,]+)\)$/;
const SUMMARY = 'summary.';

export const HOWS = ['last', 'min', 'max', 'mean'];

/* {how, key}; null of other columns. */
export function metricOf(column) {
	const found = FORM.exec(column);
	return found && { how: found[1], key: found[2] };
}

/* The metric that a column is of, whichever of its values; null: of none. */
export function metricKey(column) {
	const metric = metricOf(column);
	if (metric) return metric.key;
	return column.startsWith(SUMMARY) && !column.includes(',') ? column.slice(SUMMARY.length) : null;
}

/* `how` is empty for the summary's value. */
export function metricColumn(how, key) {
	return how ? `${how}(${key})` : SUMMARY + key;
}

/* What several columns are answered by together. */
export function slotOf({ key }) {
	return metricColumn('last', key);
}
