/*
 * Requests of the list to a project: pages of runs, runs by their ids, groups with values for the columns, and the
 * number of runs.
 */

import { ask } from '../../api.js';
import { listed, listText, queryOf } from '../../base/query_text.js';
import { countedFilter, countedIn, isAllCounted } from './counted.js';
import { GROUPS } from './group_names.js';
import { orderedGroups } from './group_order.js';
import { metricOf } from './metric_column.js';
import { idFilter, listQuery, withinQuery, withValues } from './run_query.js';

export const IDS = 200; /* of one question */
const STATISTICS = 64; /* columns whose means are requested for groups: the server's limit */
const DIFFERENT = 16; /* columns whose different values are requested: the server's limit */
const TOO_MANY = 422;
const HAS_NUMBERS = /^(config|summary)\.|^(rows|duration|writers|writers_lost)$/; /* under other keys are none */

/*
 * path: of the project; now(): {view, columns, keys} that are asked for; updates: as of run_updates.js; names: as of
 * group_names.js; failed(answer): groups could not be read.
 */
export function listAsking(path, { now, updates, names, failed }) {
	const tooMany = new Set(); /* queries of groups whose different values were refused */

	let behind = 0; /* seconds, of the latest answer: a busy server says that it lacks something */

	async function get(what, query, options) {
		const answer = await ask('GET', `${path}/${what}?${queryOf(query)}`, undefined, options);
		if (answer.status === 200) behind = answer.body.behind_s ?? 0;
		return answer;
	}

	/* The answer, with its runs as `items`, which have values under these keys. */
	async function items(query, keys, options) {
		const [answer, changesOf] = await updates.during(get('runs', query, options));
		const found = answer.status === 200 ? answer.body.items : [];
		return { ...answer, items: found.map((run) => ({ ...withValues(run, keys), ...changesOf(run.id) })) };
	}

	/* A page of those within, as the list orders them. */
	async function runs(within, query) {
		const { view, keys } = now();
		const answer = await items({ ...listQuery(view, keys, within), ...query }, keys);
		return answer.status === 200 ? { ...answer, body: { ...answer.body, items: answer.items } } : answer;
	}

	/* Null when they cannot be read. */
	async function some(ids) {
		const { keys } = now();
		if (!ids.length) return [];
		const answer = await items({ ids: ids.slice(0, IDS).join(','), keys: listText(keys) }, keys);
		return answer.status === 200 ? answer.items : null;
	}

	/* Leaves out the different values if they are too many for the server, and does not ask for them again. */
	async function groupsOf(within, by, { of, different }) {
		const query = { ...withinQuery(countedFilter(now().view), within), by: listed(by), limit: GROUPS };
		const wanted = queryOf({ ...query, different });
		if (!tooMany.has(wanted)) {
			const answer = await get('groups', { ...query, of, different });
			if (answer.status !== TOO_MANY || answer.body?.field !== 'different') return answer;
			tooMany.add(wanted);
		}
		return get('groups', { ...query, of });
	}

	/* Returns the numeric sort keys that no column shows. */
	function sortedBy() {
		const { view, columns } = now();
		return view.sort.map(({ key }) => key).filter((key) => HAS_NUMBERS.test(key) && !metricOf(key)
			&& !columns.some((column) => column.key === key));
	}

	/* Returns the columns to request for groups: the mean of numeric ones, the different values of the others. */
	function toldColumns() {
		const own = now().columns.filter(({ key }) => !metricOf(key));
		const keysOf = (isWanted, most) => own.filter(isWanted).map(({ key }) => key).slice(0, most);
		const numbers = [...keysOf(({ isNumber }) => isNumber, STATISTICS), ...sortedBy()];
		return { numbers: numbers.slice(0, STATISTICS),
			others: keysOf(({ isNumber }) => !isNumber, DIFFERENT) };
	}

	/* With all of their runs; null where all of them count, so that the answer with numbers says how many they are. */
	async function plainGroups(within, by) {
		const { view } = now();
		if (isAllCounted(view)) return null;
		return get('groups', { ...withinQuery(view.filter, within), by: listed(by), limit: GROUPS });
	}

	/* isWhole: they may be all that there are. */
	function tellNames(key, found, isWhole) {
		if (isWhole && found.length < GROUPS) names.take(key, found);
		else names.need(key, found);
	}

	async function groups(within, by) {
		const { numbers, others } = toldColumns();
		const { filter, sort } = now().view;
		const isWhole = !within.length && !filter;
		const [answer, plain] = await Promise.all([
			groupsOf(within, by, { of: listText(numbers), different: listText(others) }), plainGroups(within, by)]);
		const fault = [answer, plain].find((one) => one && one.status !== 200);
		if (fault) {
			failed(fault);
			return null;
		}
		const { items: numbered, next_cursor: more } = answer.body;
		const found = countedIn(plain?.body.items ?? numbered, numbered, Boolean(more));
		tellNames(by, found.map(({ group }) => group), isWhole);
		const byKey = (keys, values) => Object.fromEntries(keys.map((key, at) => [key, values[at]]));
		const told = found.map(({ numbers: means = [], different = [], ...group }) => ({
			...group, stats: byKey(numbers, means), different: byKey(others, different) }));
		return orderedGroups(told, by, sort);
	}

	return {
		items,
		runs,
		some,
		groups,
		behind: () => behind,
		/* Returns the ids among these that belong to the group, or the answer that failed. */
		async membersOf(node, ids) {
			const answer = await get('runs', { ...withinQuery(idFilter(ids), node.within), limit: ids.length });
			return answer.status === 200 ? { ids: answer.body.items.map(({ id }) => id) } : { fault: answer };
		},
		/* The answer that failed, or {status, count}: how many there are by a filter. */
		async count(filter) {
			const answer = await get('runs', { filter, limit: 1, count: 'true' });
			return answer.status === 200 ? { status: 200, count: answer.body.count } : answer;
		},
	};
}
