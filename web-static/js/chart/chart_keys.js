/* The keys that charts are made of, read anew while rows come: seldom where there are many. */

import { ask } from '../api.js';
import { panelKeys } from './panel_keys.js';

const PAGE = 10000;
const SOON_MS = 1000;
const SELDOM_MS = 10000;
const MANY = 500;

/* path: of a project or a run; took({keys, kinds}) whenever they were read. */
export function chartKeys(path, took) {
	const ends = new AbortController();
	let count = 0;
	let readAt = -Infinity;
	let timer = 0;

	/* The answer that failed, or null. */
	async function read() {
		const answer = await ask('GET', `${path}/keys?limit=${PAGE}`, undefined, { signal: ends.signal });
		timer = 0;
		readAt = performance.now();
		if (ends.signal.aborted) return null;
		if (answer.status !== 200) return answer;
		count = answer.body.items.length;
		took(panelKeys(answer.body.items));
		return null;
	}

	return {
		read,
		soon() {
			timer ||= setTimeout(read, Math.max(0, readAt + (count > MANY ? SELDOM_MS : SOON_MS) - performance.now()));
		},
		stop() {
			clearTimeout(timer);
			ends.abort();
		},
	};
}
