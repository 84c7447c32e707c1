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
	let isStopped = false;

	const keys = () => [...new Set(columns().map(({ key }) => metricOf(key)?.key).filter(Boolean))];

	async function load() {
		const { metricValues } = await import('../runs/metric_values.js');
		values = metricValues(apiPath(entity, project), came);
		if (isStopped) values.stop();
	}

	/* What does not come is asked for again with the next change. */
	function loaded() {
		loading ||= load().catch(() => { loading = null; });
		return loading;
	}

	async function update() {
		if (!keys().length) return;
		if (!values) await loaded();
		if (!isStopped) values?.want(runs(), keys());
	}

	/* {value, title}; of other columns null. */
	function cellOf(run, column) {
		const metric = metricOf(column);
		if (!metric) return null;
		const sum = values?.of(run.id, metric.key) ?? null;
		return { value: sum && sum[metric.how], title: sum && words.metricOf(column, count(sum.n), sum.nan, sum.pinf + sum.ninf) };
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
