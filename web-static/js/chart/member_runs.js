/* Which runs are members of groups, the newest of them. */

import { queryOf } from '../runs/query_text.js';

export const READ_MOST = 1000; /* runs of the list, of which members are sought */

const placeOf = (values) => JSON.stringify(values.map((value) => value ?? null));

function asMember({ name, slot, color, dash }, run) {
	return { ...run, slot, color, dash, group: name };
}

/* Groups by what all of their runs have, as they are put together by the same keys; and those keys. Pure. */
export function placesOf(groups) {
	const keys = [...new Set(groups.flatMap(({ of }) => Object.keys(of?.own ?? {})))];
	const alike = groups.filter(({ of }) => of && keys.every((key) => Object.hasOwn(of.own, key)));
	return { keys, places: new Map(alike.map((group) => [placeOf(keys.map((key) => group.of.own[key])), group])) };
}

/* Those that a group has by their ids, and of what the list has those with its values. */
export function membersOf(groups, items) {
	const named = groups.flatMap((group) => (group.members ?? []).map((id) => asMember(group, { id, name: id })));
	const { places } = placesOf(groups);
	const found = items.flatMap(({ id, display_name: name, values }) => {
		const group = places.get(placeOf(values));
		return group ? [asMember(group, { id, name: name || id })] : [];
	});
	return [...named, ...found];
}

/* {members, isCut} or {fault}; one question at most. */
export async function readMembers({ path, scope, groups }, ask) {
	const { keys, places } = placesOf(groups);
	if (!places.size) return { members: membersOf(groups, []), isCut: false };
	const query = queryOf({ filter: scope?.filter, order: '-created_at', keys: keys.join(','), limit: READ_MOST });
	const answer = await ask('GET', `${path}/runs?${query}`);
	if (answer.status !== 200) return { fault: answer };
	const { items, next_cursor: more } = answer.body;
	return { members: membersOf(groups, items), isCut: more !== null };
}
