/* How many lines a run has, of each label and over time: read at once for other labels, and again while more come. */

import { ask, askAll } from '../api.js';
import { reread } from '../base/reread.js';
import { BUCKETS } from './log_density.js';

const REST_MS = 5000;

/* logs: the page, see pages/run_logs.js, which takes them. now(): a promise of the answer that failed, or null. */
export function logCounts(logs) {
	async function readWriters(signal) {
		const answer = await askAll(`${logs.path}/writers`, { signal });
		return answer.status === 200 ? answer.body.items : [];
	}

	function readDensity(signal) {
		const { writers, stream } = logs.scope;
		const params = new URLSearchParams({ buckets: BUCKETS, ...(writers && { writers }), ...(stream && { stream }) });
		return ask('GET', `${logs.path}/console/density?${params}`, undefined, { signal });
	}

	async function read(signal) {
		const [writers, answer] = await Promise.all([logs.run?.writers ?? readWriters(signal), readDensity(signal)]);
		if (signal.aborted) return null;
		if (answer.status !== 200) return answer;
		logs.take(writers, answer.body);
		return null;
	}

	return reread(read, () => REST_MS);
}
