/* What is known of the groups of a comparison, read again while runs of the project change. */

import { follow } from '../live.js';
import { reread } from '../reread.js';

const AGAIN_MS = 2000;

const nameOf = ({ id, question }) => JSON.stringify([id, question]);

/*
 * read(column): as group_read.js has it; readNames(keys, filter): as group_names.js has it; changed(isAgain): more is
 * known.
 */
export function groupFeed({ entity, project }, { read, readNames, changed }) {
	const known = new Map();
	let names = {};
	let columns = [];
	let fault = null;
	let isStopped = false;

	async function readAll() {
		const asked = columns;
		const answers = [];
		const keys = [...new Set(asked.flatMap(({ within }) => within.map(({ key }) => key)))];
		names = { ...names, ...await readNames(keys, asked[0].listFilter) };
		for (const column of asked) answers.push(await read(column));
		if (isStopped) return null;
		const isAgain = asked.every((column) => known.has(nameOf(column)));
		fault = answers.find((one) => one.fault)?.fault ?? null;
		answers.forEach((one, at) => one.fault || known.set(nameOf(asked[at]), one));
		changed(isAgain);
		return fault;
	}

	const turns = reread(readAll, () => AGAIN_MS);
	const unfollow = follow({ entity, project }, () => columns.length && turns.soon());

	return {
		set(next) {
			columns = next;
			if (next.some((column) => !known.has(nameOf(column)))) turns.soon();
		},
		/* Of all groups by each key. */
		names: () => names,
		of: (column) => known.get(nameOf(column)),
		fault: () => columns.length ? fault : null,
		stop() {
			isStopped = true;
			turns.stop();
			unfollow();
		},
	};
}
