/* The keys that charts are made of, read again while rows come: less often if there are many. */

import { ask } from '../../api.js';
import { reread } from '../../base/reread.js';
import { panelKeys } from './panel_keys.js';

const PAGE = 10000;
const SOON_MS = 1000;
const SELDOM_MS = 10000;
const MANY = 500;

/*
 * path: of a project or a run; took({keys, kinds}, items) whenever they were read. read(): the answer that failed, or
 * null.
 */
export function chartKeys(path, took) {
	let count = 0;

	async function read(signal) {
		const answer = await ask('GET', `${path}/keys?limit=${PAGE}`, undefined, { signal });
		if (signal.aborted) return null;
		if (answer.status !== 200) return answer;
		count = answer.body.items.length;
		took(panelKeys(answer.body.items), answer.body.items);
		return null;
	}

	const turns = reread(read, () => count > MANY ? SELDOM_MS : SOON_MS);

	return { read: turns.now, soon: turns.soon, stop: turns.stop };
}

/*
 * Definitions of metrics, whose part is loaded where runs have some (key_definitions.js). changed(definitions): other ones.
 * Gives set(configs of runs), which ends when that was called.
 */
export function lazyDefinitions(changed) {
	let was = '[]';
	return async (configs) => {
		const lists = configs.map((config) => config?._wandb?.m).filter((list) => list?.length);
		const now = JSON.stringify(lists);
		if (now === was) return;
		was = now;
		const part = await import('./key_definitions.js').catch(() => null);
		if (was !== now) return;
		if (part) changed(part.keyDefinitions(lists));
		else was = null;
	};
}
