import { queryOf } from './query_text.js';
/* The names of all groups of runs, by which they have their colours (group_slots.js). */


const GROUPS = 1000;

/* {key: names}; those that cannot be read now are left out. get(query) -> answer */
export async function readNames(keys, filter, get) {
	const answers = await Promise.all(keys.map((by) => get(queryOf({ filter, by, limit: GROUPS }))));
	return Object.fromEntries(answers.flatMap(({ status, body }, at) =>
		status === 200 ? [[keys[at], body.items.map(({ group }) => group)]] : []));
}
