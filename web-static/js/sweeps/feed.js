/* The data of a page of a sweep. It is read again while it is seen, often while the sweep runs; trials only if some changed. */

import { ask, askAll } from '../api.js';
import { reread } from '../base/reread.js';
import { sweepPath } from './places.js';

const LIVE_MS = 4000;
const REST_MS = 30000;
const MOST = 5000; /* trials */

const isLive = ({ state, trials }) => ['pending', 'running', 'paused'].includes(state) || trials.running + trials.waiting > 0;
const essence = ({ trials, last_ended_at: ended, best, state, changed_at: changed }) => JSON.stringify([trials, ended, best, state, changed]);

/* needs: {trials, agents, importance}: what else is read. changed() is called when something has come, fault(answer) when not; null: it did. */
export function sweepFeed(address, needs, { changed, fault = () => {} }) {
	const path = sweepPath(address);
	const feed = { path, sweep: null, trials: [], isCut: false, agents: [], importance: null, again: null, begin: null, take: null, stop: null };
	const again = reread(read, (took) => Math.max(feed.sweep && isLive(feed.sweep) ? LIVE_MS : REST_MS, took * 4));
	let known = null; /* of which the trials are */
	let isStopped = false;

	/* Each is [name, answer]. */
	function asked(now, signal) {
		const isNew = known !== essence(now);
		return Promise.all([
			needs.trials && isNew && ['trials', askAll(`${path}/trials?order=-trial`, { most: MOST, signal })],
			needs.importance && isNew && ['importance', ask('GET', `${path}/importance`, undefined, { signal })],
			needs.agents && ['agents', askAll(`${path}/agents`, { most: MOST, signal })],
		].filter(Boolean).map(async ([name, answer]) => [name, await answer]));
	}

	function put([name, { body }]) {
		if (name === 'trials') Object.assign(feed, { trials: body.items, isCut: body.isCut });
		else feed[name] = name === 'agents' ? body.items : body;
	}

	async function read(signal) {
		const answer = await ask('GET', path, undefined, { signal });
		const others = answer.status === 200 ? await asked(answer.body, signal) : [];
		if (isStopped || signal?.aborted) return null;
		const failed = [answer, ...others.map(([, other]) => other)].find(({ status }) => status !== 200);
		fault(failed ?? null);
		if (failed) return failed;
		feed.sweep = answer.body;
		others.forEach(put);
		known = essence(answer.body);
		changed();
		again.soon();
		return null;
	}

	return Object.assign(feed, {
		begin: again.now,
		again: again.next,
		/* The sweep as an answer to a change has it. */
		take(sweep) {
			feed.sweep = { ...feed.sweep, ...sweep };
			changed();
			again.next();
		},
		stop() {
			isStopped = true;
			again.stop();
		},
	});
}
