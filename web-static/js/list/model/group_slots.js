/*
 * Colours of groups. They follow from the names of all groups of the project by the same keys, whatever of them is
 * shown or open: so a group has one colour on every page and in every browser, and the first eight have hues of their
 * own. A new name takes a free slot and moves no other on the page; loading the page again assigns all
 * slots again. Pure.
 */

import { hashOf, HUES, SLOTS } from '../../base/slot.js';

const COMBINED_MOST = 1000;
const PARTS = '\n';

/* Hues in an order in which the first ones are as far apart as possible, in both themes. */
const APART = [0, 6, 7, 4, 5, 3, 1, 2];

/*
 * {name: slot}: in the order of the names, first all hues with whole lines, then with dashes. Slots that were given before
 * stay.
 */
export function slotsOf(names, before = []) {
	const slots = new Map(before);
	const taken = new Set(slots.values());
	for (const name of [...new Set(names)].filter((one) => !slots.has(one)).sort()) {
		const round = Math.floor(slots.size / HUES) * HUES;
		const free = round < SLOTS ? APART.find((hue) => !taken.has(round + hue)) : undefined;
		const slot = free === undefined ? hashOf(name) % SLOTS : round + free;
		taken.add(slot);
		slots.set(name, slot);
	}
	return slots;
}

/* Each name of the first with each of the next; null where there are too many. */
function combined(lists) {
	return lists.reduce((all, names) => all && all.length * names.length <= COMBINED_MOST
		? all.flatMap((one) => names.map((name) => [...one, name])) : null, [[]]);
}

/*
 * names: {key: names of all groups by it}, as far as they are known; roles: {key: 'color', 'dash' or 'panel'}, colour
 * where nothing is said; given: keeps slots between calls. Returns a function that gives the slot of a group: within
 * is as of group_tree.js.
 */
export function groupSlots(names, roles = {}, given = new Map()) {
	const known = new Map();

	function slotsBy(keys) {
		const id = JSON.stringify(keys);
		if (!known.has(id)) {
			const all = keys.every((key) => names[key]) ? combined(keys.map((key) => names[key])) : null;
			known.set(id, slotsOf((all || []).map((one) => one.join(PARTS)), given.get(id)));
			given.set(id, known.get(id));
		}
		return known.get(id);
	}

	const actingAs = (within, role) => within.filter(({ key }) => (roles[key] || 'color') === role);
	const nameOf = (some) => some.map(({ group }) => group.group).join(PARTS);

	function slotBy(some) {
		const name = nameOf(some);
		return some.length ? slotsBy(some.map(({ key }) => key)).get(name) ?? hashOf(name) % SLOTS : 0;
	}

	/* In the order of the names, for there are few dashes. */
	function dashBy(some) {
		const place = [...slotsBy(some.map(({ key }) => key)).keys()].indexOf(nameOf(some));
		return (place < 0 ? slotBy(some) : place) % (SLOTS / HUES);
	}

	return (within) => {
		const slot = slotBy(actingAs(within, 'color'));
		const dashed = actingAs(within, 'dash');
		return dashed.length ? slot % HUES + dashBy(dashed) * HUES : slot;
	};
}
