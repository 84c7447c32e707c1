/* Which runs are members of groups, the newest of them. */

import { listText, queryOf } from '../../base/query_text.js';
import { byValues, placeOf } from './group_values.js';

export const READ_MOST = 1000; /* runs of the list, of which members are sought */
export const ALONE_MOST = 8; /* groups that are asked for by themselves */
const ALONE_RUNS = 200; /* of each of them: no more are drawn */

function asMember({ name, slot, color, dash }, run) {
	return { ...run, slot, color, dash, group: name };
}

/* Returns whether a group has a null value. The list of runs has null for missing values too, a group of their own. */
const isUnsure = ({ of }) => Object.values(of?.own ?? {}).some((value) => value === null || value === undefined);

/* Groups by what all of their runs have, as they are put together by the same keys; and those keys. Pure. */
export function placesOf(groups) {
	const sure = groups.filter((group) => !isUnsure(group));
	const keys = [...new Set(sure.flatMap(({ of }) => Object.keys(of?.own ?? {})))];
	return { keys, places: byValues(sure, keys) };
}

const runOf = ({ id, display_name: name }) => ({ id, name: name || id });

/* Returns the members that groups list by id. */
const namedIn = (groups) => groups.flatMap((group) => (group.members ?? []).map((id) => asMember(group, { id, name: id })));

/* Returns the listed runs whose values match a group. */
export function membersIn(groups, items) {
	const { places } = placesOf(groups);
	return items.flatMap(({ values, ...run }) => {
		const group = places.get(placeOf(values));
		return group ? [asMember(group, runOf(run))] : [];
	});
}

/* {query, members(items)}: one of all groups that their values identify, and one of each of some others. */
function questionsOf({ scope, groups }) {
	const { keys, places } = placesOf(groups);
	const all = { query: { filter: scope?.counted, keys: listText(keys), limit: READ_MOST },
		members: (items) => membersIn(groups, items) };
	const alone = groups.filter(isUnsure).map((group) => ({ query: { filter: group.filter, limit: ALONE_RUNS },
		members: (items) => items.map((run) => asMember(group, runOf(run))) }));
	return { questions: [...places.size ? [all] : [], ...alone.slice(0, ALONE_MOST)], isCut: alone.length > ALONE_MOST };
}

/* {members, isCut, fault}: those that were found before something failed, or null if none could be. */
export async function readMembers({ path, scope, groups }, ask) {
	const { questions, isCut } = questionsOf({ scope, groups });
	const found = { members: namedIn(groups), isCut };
	for (const [nth, { query, members }] of questions.entries()) {
		const answer = await ask('GET', `${path}/runs?${queryOf({ ...query, order: '-created_at' })}`);
		if (answer.status !== 200) return nth ? { ...found, isCut: true, fault: answer } : { members: null, fault: answer };
		found.members.push(...members(answer.body.items));
		found.isCut ||= answer.body.next_cursor !== null;
	}
	return found;
}
