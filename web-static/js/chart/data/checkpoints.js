/*
 * Checkpoints that a run saved: files that end as those of the usual libraries do, a folder of parts as one. No event
 * tells of files, so they are read again seldom, while rows come.
 */

import { askAll } from '../../api.js';
import { isTransient, reread } from '../../base/reread.js';

const REST_MS = 60000;
const FILES = 2000; /* of a run are looked at */
const FILE = /\.(ckpt|pt|pth|safetensors|keras|h5|pdparams)$/i;
const FOLDER = /^(.*?(?:^|\/)(?:checkpoint|ckpt|global_step|epoch)[-_=]?\d+)\//i;

/* files: as REST has them. [{name, updated_at}], of a folder when its last part came. Pure. */
export function checkpointsOf(files) {
	const found = new Map();
	for (const { name, updated_at: at } of files) {
		const whole = FOLDER.exec(name)?.[1] ?? (FILE.test(name) ? name : null);
		if (whole !== null && !(found.get(whole) > at)) found.set(whole, at);
	}
	return [...found].map(([name, at]) => ({ name, updated_at: at }));
}

/* path: of the run; changed(): there are others. Gives {list(), now(), soon(), stop()}. */
export function checkpointsOfRun(path, changed) {
	let list = [];

	async function read(signal) {
		const answer = await askAll(`${path}/files`, { most: FILES, signal });
		if (signal.aborted) return null;
		if (answer.status !== 200) return isTransient(answer) ? answer : null;
		list = checkpointsOf(answer.body.items);
		changed();
		return null;
	}

	const turns = reread(read, () => REST_MS);
	return { list: () => list, now: turns.now, soon: turns.soon, stop: turns.stop };
}
