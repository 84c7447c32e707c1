/* Which runs are members of groups, the newest of them. */

import { queryOf } from '../runs/query_text.js';
import { byValues, placeOf } from './group_places.js';

export const READ_MOST = 1000; /* runs of the list, of which members are sought */

function asMember({ name, slot, color, dash }, run) {
	return { ...run, slot, color, dash, group: name };
}

/* Groups by what all of their runs have, as they are put together by the same keys; and those keys. Pure. */
export function placesOf(groups) {
	const keys = [...new Set(groups.flatMap(({ of }) => Object.keys(of?.own ?? {})))];
	return { keys, places: byValues(groups, keys) };
}

/* Those that a group has by their ids, and of what the list has those with its values. */
export function membersIn(groups, items) {
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
	if (!places.size) return { members: membersIn(groups, []), isCut: false };
	const query = queryOf({ filter: scope?.filter, order: '-created_at', keys: keys.join(','), limit: READ_MOST });
	const answer = await ask('GET', `${path}/runs?${query}`);
	if (answer.status !== 200) return { fault: answer };
	const { items, next_cursor: more } = answer.body;
	return { members: membersIn(groups, items), isCut: more !== null };
}
