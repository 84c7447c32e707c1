/* Data of the groups of a comparison, read again while runs of the project change. */

import { reread } from '../base/reread.js';
import { groupNames } from '../list/model/group_names.js';
import { follow } from '../live.js';

const AGAIN_MS = 2000;

const nameOf = ({ id, question }) => JSON.stringify([id, question]);

/*
 * read(column): as group_read.js has it; readNames(query): the answer of .../groups; changed(isAgain): more is known.
 */
export function groupFeed({ entity, project }, { read, readNames, changed }) {
	const known = new Map();
	const names = groupNames(readNames, () => changed(false));
	let columns = [];
	let fault = null;

	async function readAll(signal) {
		const asked = columns;
		if (!asked.length) return null;
		const answers = [];
		for (const column of asked) answers.push(await read(column));
		if (signal.aborted) return null;
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
			next.forEach(({ within }) => within.forEach(({ key, group }) => names.need(key, [group.group])));
			if (next.some((column) => !known.has(nameOf(column)))) turns.soon();
		},
		/* As group_names.js has it. */
		slots: names.slots,
		of: (column) => known.get(nameOf(column)),
		fault: () => columns.length ? fault : null,
		stop() {
			names.stop();
			turns.stop();
			unfollow();
		},
	};
}
