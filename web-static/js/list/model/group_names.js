/*
 * The names of all groups of a project by a key, whatever filter is in effect: by them groups have their colours
 * (group_slots.js). They are kept for the page, with the colours that they were given, and asked for again when one is
 * shown that is not among them.
 */

import { listed, queryOf } from '../../base/query_text.js';
import { isTransient, reread } from '../../base/reread.js';
import { groupSlots } from './group_slots.js';

export const GROUPS = 1000;

/* get(query) -> answer of .../groups; changed(): more of them are known. */
export function groupNames(get, changed) {
	const known = new Map(); /* by key: a set */
	const due = new Map(); /* by key: those that are shown, of which some are unknown */
	const given = new Map(); /* of group_slots.js */
	const turns = reread(readDue, () => 0);

	/* Adds names that were read, and those that were looked for: if they were not found, they are not read again. */
	function take(key, names) {
		known.set(key, new Set([...known.get(key) ?? [], ...names]));
	}

	function wait(key, names) {
		due.set(key, [...new Set([...due.get(key) ?? [], ...names])]);
	}

	const isUnknown = (key, names) => !known.has(key) || names.some((name) => !known.get(key).has(name));

	async function readDue(signal) {
		const asked = [...due].filter(([key, names]) => isUnknown(key, names));
		due.clear();
		if (!asked.length) return null;
		const answers = await Promise.all(asked.map(([by]) => get(queryOf({ by: listed(by), limit: GROUPS }))));
		if (signal.aborted) return null;
		asked.forEach(([key, names], at) => {
			if (answers[at].status === 200) take(key, [...answers[at].body.items.map(({ group }) => group), ...names]);
			else if (isTransient(answers[at])) wait(key, names);
		});
		if (answers.some(({ status }) => status === 200)) changed();
		return answers.find(isTransient) ?? null;
	}

	return {
		/* Takes all names that exist. */
		take,
		/* These are shown. */
		need(key, names = []) {
			if (!isUnknown(key, names)) return;
			wait(key, names);
			turns.soon();
		},
		/* Returns a function that gives the slot of a group; roles: the roles of keys. */
		slots: (roles) => groupSlots(Object.fromEntries([...known].map(([key, names]) => [key, [...names]])), roles, given),
		stop: turns.stop,
	};
}
