/*
 * Whether a lower value of a metric is better: as the project says, else as the first runs of the list define it
 * (define_metric), else by its name. Read once, when a head of the list is first pointed at or clicked; a click waits for
 * the answers no longer than people notice.
 */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { directionOf, directionsOf } from '../compare/model/model.js';
import { metricKey } from './model/metric_column.js';

const RUNS = 4; /* whose definitions are read */
const WAIT_MS = 300;
const DEFINITIONS = 'pointer=/_wandb/m';
const LOWER_NAMES = [/loss|error|perplexity|divergence/i,
	/(^|[^a-z])(err|ppl|nll|mse|mae|mape|rmse|wer|cer|fid|kl)([^a-z]|$)/i];

/* Returns whether a metric of this name is usually better where it is lower. */
export const isLowerByName = (key) => LOWER_NAMES.some((form) => form.test(key));

/* runs(): those that the list has read. */
export function bestFirst({ entity, project }, runs) {
	let reading = null;

	async function read() {
		const some = runs().slice(0, RUNS);
		const [settings, ...configs] = await Promise.all([ask('GET', apiPath(entity, project)),
			...some.map(({ id }) => ask('GET', `${apiPath(entity, project, id)}/config?${DEFINITIONS}`))]);
		const defined = configs.filter(({ status }) => status === 200).map(({ body }) => ({ _wandb: { m: body } }));
		const isWhole = some.length > 0 && [settings, ...configs].every(({ status }) => status === 200);
		if (!isWhole) reading = null; /* the next click tries again */
		return directionsOf(defined, settings.body?.directions ?? []);
	}

	function learn() {
		reading ||= read();
		return reading;
	}

	return {
		learn,
		async isLowerBest(key) {
			const metric = metricKey(key);
			if (metric === null) return false;
			const late = new Promise((resolve) => { setTimeout(resolve, WAIT_MS, null); });
			const known = await Promise.race([learn().catch(() => null), late]);
			const direction = known && directionOf(known, metric);
			return direction ? direction === 'lower' : isLowerByName(metric);
		},
	};
}
