/* Reads what a run's program sent about itself as files: its environment, and the names of patches of its source. */

import { ask } from '../api.js';

const METADATA = 'wandb-metadata.json';
const METADATA_MAX = 256 << 10;
const DIFFS = 'diff%.patch';
const DIFF = /^diff(_[0-9a-f]+)?\.patch$/; /* of the SDK: of what was committed, and of what was pushed, with that commit */

/* undefined: they cannot be read now. */
async function listed(path, pattern, options) {
	const query = new URLSearchParams({ pattern, limit: 10 });
	const { status, body } = await ask('GET', `${path}/files?${query}`, undefined, options);
	return status === 200 ? body.items : undefined;
}

async function metadataOf(path, options) {
	const files = await listed(path, METADATA, options);
	if (!files?.some(({ name, bytes }) => name === METADATA && bytes <= METADATA_MAX)) return files && null;
	const { status, body } = await ask('GET', `${path}/files/${METADATA}`, undefined, options);
	if (status !== 200) return undefined;
	return typeof body === 'object' ? body : null;
}

/* {metadata: null where there is none, diffs: names}, or null: they cannot be read now. */
export async function readSent(path, options) {
	const [metadata, diffs] = await Promise.all([metadataOf(path, options), listed(path, DIFFS, options)]);
	return metadata === undefined || !diffs ? null : { metadata, diffs: diffs.map(({ name }) => name).filter((name) => DIFF.test(name)) };
}
