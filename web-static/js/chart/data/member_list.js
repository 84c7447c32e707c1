/*
 * Members of the groups of a page, read once for all of its panels that draw them, and while there are any. One reading
 * at a time, and what is of other groups by now counts for nothing.
 */

import { ask } from '../../api.js';
import { reread } from '../../base/reread.js';
import { readMembers } from './member_runs.js';

export const AGAIN_MS = 10000;
const lists = new WeakMap();

function makeList(page, get) {
	const listeners = new Set(); /* of panels: listener(isOther) */
	let known = null; /* as of readMembers */
	let knownOf = ''; /* of what groups */
	let readOf = null;
	let fault = null;
	const place = () => JSON.stringify([page.scope?.counted, page.groups]);
	const turns = reread(read, () => readOf === place() ? AGAIN_MS : 0);

	function take(of, { fault: failed = null, ...found }) {
		if (of !== place()) return null;
		const isOther = found.members && (knownOf !== of || JSON.stringify(found) !== JSON.stringify(known));
		if (found.members) [known, knownOf] = [found, of];
		const isChanged = isOther || failed?.status !== fault?.status;
		fault = failed;
		if (isChanged) for (const listener of [...listeners]) listener(Boolean(isOther));
		return fault;
	}

	async function read() {
		const of = listeners.size ? place() : null;
		if (of !== readOf) fault = null;
		readOf = of;
		if (of === null) return null;
		return take(of, await readMembers(page, get));
	}

	return {
		/* Reads the list if it was not read recently, and calls the listener on changes. */
		join(listener) {
			listeners.add(listener);
			if (readOf === place()) turns.soon();
			else turns.next();
		},
		leave: (listener) => listeners.delete(listener),
		now: () => knownOf === place() ? { known, fault } : { known: null, fault },
	};
}

export function memberList(page, get = ask) {
	if (!lists.has(page)) lists.set(page, makeList(page, get));
	return lists.get(page);
}
