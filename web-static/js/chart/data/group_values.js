/* Values of fields for groups of runs: statistics over all runs of a group; the mark of a group shows their mean. */

import { listed, listText, queryOf } from '../../base/query_text.js';

const GROUPS = 1000;

const questionOf = ({ filter, by }) => JSON.stringify([filter, by]);

/*
 * groups: of group_line.js; groups that no query can find are left out. Fills numbers: {group's id: {field: {count,
 * min, max, mean, std}}}. Gives the answer that failed, or null. Groups of one key are one question.
 */
export async function readGroups(path, { groups, fields, numbers }, ask) {
	const places = new Map(groups.filter(({ of }) => of).map(({ of }) => [questionOf(of), of]));

	async function read([question, { filter, by }]) {
		const query = queryOf({ filter, by: listed(by), of: listText(fields), limit: GROUPS });
		const answer = await ask('GET', `${path}/groups?${query}`);
		if (answer.status !== 200) return answer;
		const found = new Map(answer.body.items.map((item) => [item.group, item.numbers]));
		for (const { id, of } of groups) {
			const own = of && questionOf(of) === question && found.get(of.group);
			for (const [at, field] of own ? fields.entries() : []) (numbers[id] ||= {})[field] = own[at];
		}
		return null;
	}

	return (await Promise.all([...places].map(read))).find(Boolean) ?? null;
}

/*
 * Groups as marks beside runs: `values` are what all of a group have, by which it is one, or means, where there is any
 * number; `numbers` is what they are of.
 */
export function groupMarks(groups, keys, numbers) {
	return groups.filter(({ of }) => of).map((group) => {
		const all = keys.map((key) => numbers[group.id]?.[key]);
		const mean = (at) => all[at]?.count ? all[at].mean : undefined;
		return { ...group, isGroup: true, numbers: all, values: keys.map((key, at) => group.of.own[key] ?? mean(at)) };
	});
}

/* Groups by what all of their runs have under the keys that they are put together by. */
export const placeOf = (values) => JSON.stringify(values.map((value) => value ?? null));

/* Indexes by their values the groups that are formed by exactly these keys. */
export function byValues(groups, keys) {
	const alike = groups.filter(({ of }) => of && Object.keys(of.own).length === keys.length
		&& keys.every((key) => Object.hasOwn(of.own, key)));
	return new Map(alike.map((group) => [placeOf(keys.map((key) => group.of.own[key])), group]));
}
