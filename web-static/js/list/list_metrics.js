/* Values of metric columns in the rows in view; the modules that read them are loaded with the first such column. */

import { apiPath } from '../address.js';
import { count, number } from '../base/format.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { AT, metricOf, shownOf } from './model/metric_column.js';

const words = text.workspace;

/* columns(), seen(): columns, and rows, as they are seen now; came(ids, nodes): these runs and groups show others. */
export function listMetrics({ address: { entity, project }, model, columns, seen, came }) {
	let loading = null;
	let values = null;
	let sums = null; /* of groups */
	let unique = null;
	let most = null; /* runs of a group */
	let isLost = false; /* what asks could not be loaded */
	let isStopped = false;

	const runs = () => [...model.base(), ...seen().map(({ run }) => run).filter(Boolean)];
	const groups = () => seen().map(({ node }) => node).filter(Boolean);
	const metrics = () => columns().map(({ key }) => metricOf(key)).filter(Boolean);

	async function load() {
		const path = apiPath(entity, project);
		const [{ metricValues }, { groupMetrics }, { togetherMost, uniqueMetrics }] = await Promise.all([
			import('./model/metric_values.js'), import('./model/group_metrics.js'), import('./model/metric_question.js')]);
		values = metricValues(path, (ids) => came(ids, new Set()));
		sums = groupMetrics(path, { within: model.groupQuery, came: (nodes) => came(new Set(), nodes) });
		[unique, most] = [uniqueMetrics, togetherMost];
		isLost = false;
		if (isStopped) stop();
	}

	/* Loads the modules once; if that fails, the next change tries again. */
	function loaded() {
		loading ||= load().catch(lose);
		return loading;
	}

	function lose() {
		loading = null;
		isLost = true;
		came(new Set(runs().map(({ id }) => id)), new Set(groups()));
	}

	async function update() {
		if (!metrics().length) return;
		if (!values) await loaded();
		if (isStopped || !values) return;
		values.want(runs(), unique(metrics()));
		sums.want(groups(), unique(metrics()));
	}

	function stop() {
		isStopped = true;
		values?.stop();
		sums?.stop();
	}

	function titleOf(column, metric, sum, isOld) {
		const told = metric.how === AT ? words.metricAt(column, sum, number)
			: words.metricOf(column, count(sum.n), sum.nan, sum.pinf + sum.ninf);
		return told + (isOld ? words.metricOld : '');
	}

	/* {value, title, said: in place of a value}; of other columns null. */
	function cellOf(run, column) {
		const metric = metricOf(column);
		if (!metric) return null;
		const sum = values?.of(run.id, metric);
		const isFailed = values?.isFailed(run.id, metric) ?? isLost;
		const value = shownOf(metric, sum);
		if (sum) return { value, title: titleOf(column, metric, sum, isFailed) };
		if (isFailed) return { value: null, said: words.notRead, title: words.metricNotRead(column) };
		if (!values?.isKnown(run.id, metric)) return { value: null, said: words.comes, title: words.metricComes(column) };
		return { value: null, title: metric.how === AT ? words.noMetricAt(column) : words.noMetric(metric.key) };
	}

	/* {numbers: {count, mean, std}, said: in place of them, title}; of other columns null. */
	function groupCellOf(node, column) {
		const metric = metricOf(column);
		if (!metric) return null;
		if (sums && !sums.isTold(node, metric)) return { said: common.none, title: words.groupNotTold(column, most(metric)) };
		const numbers = sums?.of(node, metric);
		const isFailed = sums?.isFailed(node, metric) ?? isLost;
		if (numbers) return { numbers, title: isFailed ? words.metricOld : '' };
		if (isFailed) return { said: words.notRead, title: words.metricNotRead(column) };
		return { said: words.comes, title: words.metricComes(column) };
	}

	return { update, cellOf, groupCellOf, stop };
}
