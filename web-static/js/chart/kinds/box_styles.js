/* Names and colours of boxes: those of the groups that have the same values. Pure. */

import { slotOf } from '../../base/slot.js';
import { groupSlots } from '../../list/model/group_slots.js';
import { groupName } from '../../list/model/names.js';
import { text } from '../../text/panels.js';
import { byValues, placeOf } from '../data/group_values.js';

const NONE = { group: 'none', kind: 'none', value: null };
const KINDS = { string: 'text', number: 'number', boolean: 'bool' };

/* As the server calls the group of a value. */
function groupOf(value) {
	if (value === null || value === undefined) return NONE;
	const kind = KINDS[typeof value] ?? 'other';
	const shown = kind === 'other' ? JSON.stringify(value) : value;
	return { group: `${kind}:${shown}`, kind, value: shown };
}

/* Two groups may look the same in words, which the end of a group's name tells apart. */
function withEnd(names, name) {
	const joined = names.join(', ');
	return name.startsWith(joined) ? [...names.slice(0, -1), names.at(-1) + name.slice(joined.length)] : names;
}

/* names: of all groups by each key, of runs that have these values. As group_slots.js takes them. */
function namesBy(keys, runs) {
	return Object.fromEntries(keys.map((key, at) => [key, runs.map(({ by }) => groupOf(by[at]).group)]));
}

/*
 * keys: what boxes are by; groups: of group_line.js; runs: all of which there are boxes; roles: of group_slots.js.
 * Gives what tells {name, names: a line each, slot, color} of a box's values.
 */
export function boxStyles(keys, groups, { runs = [], roles } = {}) {
	const slotBy = groupSlots(runs.length ? namesBy(keys, runs) : {}, roles);
	const found = byValues(groups, keys);
	return (by) => {
		const name = text.panels.allRuns;
		if (!by.length) return { name, names: [name], slot: slotOf({ id: '~' }), color: null };
		const within = by.map((value, at) => ({ key: keys[at], group: groupOf(value) }));
		const names = within.map((one) => groupName(one.group));
		const group = found.get(placeOf(by));
		if (group) return { name: group.name, names: withEnd(names, group.name), slot: group.slot, color: group.color };
		return { name: names.join(', '), names, slot: slotBy(within), color: null };
	};
}
