/* What the columns of metrics have in the rows that are seen; what asks for it is loaded with the first such column. */

import { apiPath } from '../address.js';
import { count } from '../format.js';
import { metricOf } from '../runs/metric_column.js';
import { text } from '../text.js';

const words = text.workspace;

/* columns(), runs(): as they are seen now; came(ids): these rows show others. */
export function listMetrics({ address: { entity, project }, columns, runs, came }) {
	let loading = null;
	let values = null;
	let isLost = false; /* what asks could not be loaded */
	let isStopped = false;

	const keys = () => [...new Set(columns().map(({ key }) => metricOf(key)?.key).filter(Boolean))];

	async function load() {
		const { metricValues } = await import('../runs/metric_values.js');
		values = metricValues(apiPath(entity, project), came);
		isLost = false;
		if (isStopped) values.stop();
	}

	/* What does not come is asked for again with the next change. */
	function loaded() {
		loading ||= load().catch(lose);
		return loading;
	}

	function lose() {
		loading = null;
		isLost = true;
		came(new Set(runs().map(({ id }) => id)));
	}

	async function update() {
		if (!keys().length) return;
		if (!values) await loaded();
		if (!isStopped) values?.want(runs(), keys());
	}

	function titleOf(column, { n, nan, pinf, ninf }, isOld) {
		return words.metricOf(column, count(n), nan, pinf + ninf) + (isOld ? words.metricOld : '');
	}

	/* {value, title, said: in place of a value}; of other columns null. */
	function cellOf(run, column) {
		const metric = metricOf(column);
		if (!metric) return null;
		const sum = values?.of(run.id, metric.key);
		const isFailed = values?.isFailed(run.id, metric.key) ?? isLost;
		if (sum) return { value: sum[metric.how], title: titleOf(column, sum, isFailed) };
		if (isFailed) return { value: null, said: words.notRead, title: words.metricNotRead(column) };
		if (!values?.isKnown(run.id, metric.key)) return { value: null, said: words.comes, title: words.metricComes(column) };
		return { value: null, title: words.noMetric(metric.key) };
	}

	return {
		update, cellOf,
		/* Of these runs all, so that a file has them. The answer that failed, or null. */
		async read(some) {
			if (!keys().length) return null;
			if (!values) await loaded();
			return values ? values.read(some, keys()) : { status: 0, body: null };
		},
		stop() {
			isStopped = true;
			values?.stop();
		},
	};
}
