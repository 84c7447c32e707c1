/*
 * The rows of the list as the view has them: all runs in their order, or groups and what is open of them; and the
 * baselines on top. What was read stays seen until what is newer has come.
 */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { countedFilter, countedIn, isAllCounted } from './counted.js';
import { groupNames, GROUPS } from './group_names.js';
import { groupTree } from './group_tree.js';
import { metricOf } from './metric_column.js';
import { pagedList } from './paged.js';
import { queryOf } from './query_text.js';
import { rolesOf } from './roles.js';
import { askedKeys, groupFilter, idFilter, listQuery, withinQuery, withValues } from './run_query.js';
import { toldMeanwhile } from './told_meanwhile.js';

const IDS = 200;
const STATISTICS = 64; /* columns that groups are told the mean of; the server's limit */
const DIFFERENT = 16; /* that they are told the different values of; the same */
const TOO_MANY = 422;

export function listModel({ entity, project, changed, failed }) {
	const path = apiPath(entity, project);
	let view = null;
	let stands = null; /* {view, columns, keys} that the rows are of; what is asked may be another, and be refused */
	let planted = null; /* the view that the tree is of */
	let columns = [];
	let keys = [];
	let base = [];
	let tree = null;
	const names = groupNames((query) => ask('GET', `${path}/groups?${query}`), () => changed());
	let turn = 0;
	let firsts = 0;
	let sought = 0;
	let seen = [];
	const others = new Map(); /* runs that were asked for by their ids; null: there is none */
	const tooMany = new Set(); /* queries of groups whose different values were refused */
	let reading = Promise.resolve();
	const meanwhile = toldMeanwhile();
	const list = pagedList({ ask: (query) => askRuns([], query), changed, failed });

	/* The answer, with its runs as `items`. */
	async function askItems(query, asked, options) {
		const [answer, told] = await meanwhile.during(ask('GET', `${path}/runs?${queryOf(query)}`, undefined, options));
		const items = answer.status === 200 ? answer.body.items : [];
		return { ...answer, items: items.map((run) => ({ ...withValues(run, asked), ...told(run.id) })) };
	}

	async function askRuns(within, query) {
		const asked = keys;
		const answer = await askItems({ ...listQuery(view, asked, within), ...query }, asked);
		return answer.status === 200 ? { ...answer, body: { ...answer.body, items: answer.items } } : answer;
	}

	/* Null when they cannot be read. */
	async function askSome(ids) {
		const asked = keys;
		if (!ids.length) return [];
		const answer = await askItems({ ids: ids.slice(0, IDS).join(','), keys: asked.join(',') }, asked);
		return answer.status === 200 ? answer.items : null;
	}

	function needed() {
		list.need(...seen, { from: 0, to: firsts }, { from: 0, to: sought });
	}

	/* Where keys have too many different values for the server they are not told, nor asked for again of the same runs. */
	async function groupsOf(within, by, { of, different }) {
		const query = { ...withinQuery(countedFilter(view), within), by, limit: GROUPS };
		const wanted = queryOf({ ...query, different });
		if (!tooMany.has(wanted)) {
			const answer = await ask('GET', `${path}/groups?${queryOf({ ...query, of, different })}`);
			if (answer.status !== TOO_MANY || answer.body?.field !== 'different') return answer;
			tooMany.add(wanted);
		}
		return ask('GET', `${path}/groups?${queryOf({ ...query, of })}`);
	}

	/* What groups are told of columns: of numbers the mean, of others which values there are. */
	function toldColumns() {
		const own = columns.filter(({ key }) => !key.includes(',') && !metricOf(key));
		const keysOf = (isWanted, most) => own.filter(isWanted).map(({ key }) => key).slice(0, most);
		return { numbers: keysOf(({ isNumber }) => isNumber, STATISTICS),
			others: keysOf(({ isNumber }) => !isNumber, DIFFERENT) };
	}

	/* With all of their runs; null where all of them count, so that the answer with numbers says how many they are. */
	async function plainGroups(within, by) {
		if (isAllCounted(view)) return null;
		return ask('GET', `${path}/groups?${queryOf({ ...withinQuery(view.filter, within), by, limit: GROUPS })}`);
	}

	async function askGroups(within, by) {
		const { numbers, others } = toldColumns();
		const isWhole = !within.length && !view.filter;
		const [answer, plain] = await Promise.all([
			groupsOf(within, by, { of: numbers.join(','), different: others.join(',') }), plainGroups(within, by)]);
		const fault = [answer, plain].find((one) => one && one.status !== 200);
		if (fault) {
			failed(fault);
			return null;
		}
		const { items, next_cursor: more } = answer.body;
		const groups = countedIn(plain?.body.items ?? items, items, Boolean(more));
		tellNames(by, groups.map(({ group }) => group), isWhole);
		const byKey = (names, found) => Object.fromEntries(names.map((key, at) => [key, found[at]]));
		return groups.map(({ numbers: found = [], different = [], ...group }) => ({
			...group, stats: byKey(numbers, found), different: byKey(others, different) }));
	}

	/* isWhole: they may be all that there are. */
	function tellNames(key, found, isWhole) {
		if (isWhole && found.length < GROUPS) names.take(key, found);
		else names.need(key, found);
	}

	const isAskedMore = (run) => run !== null && keys.some((key) => !Object.hasOwn(run.by, key));

	async function readOthers(ids) {
		const missing = ids.filter((id) => !others.has(id) || isAskedMore(others.get(id)));
		for (let from = 0; from < missing.length; from += IDS) {
			const runs = await askSome(missing.slice(from, from + IDS));
			const found = new Map(runs?.map((run) => [run.id, run]));
			if (runs) missing.slice(from, from + IDS).forEach((id) => others.set(id, found.get(id) ?? null));
		}
	}

	async function readBase(mine) {
		const runs = await askSome(view.base);
		if (runs && mine === turn) base = runs;
	}

	/* The tree before stays seen until the next stands, with what was opened of it meanwhile. */
	async function plant(mine) {
		const wanted = view;
		const next = view.group.length ? groupTree({ keys: view.group, askGroups, askRuns, changed, failed }) : null;
		const isLike = String(planted?.group) === String(view.group);
		const likeBefore = async () => tree && isLike && next?.openAs(tree);
		wanted.group.slice(1).forEach((key) => names.need(key));
		await next?.start();
		await likeBefore();
		if (mine !== turn) return next?.stop();
		await likeBefore();
		tree?.stop();
		tree = next;
		planted = wanted;
	}

	/* Back to what the rows are of, with the tree and the baselines of it. */
	async function goBack(mine) {
		({ view, columns, keys } = stands ?? { view: null, columns: [], keys: [] });
		if (!view || planted === view) return;
		await Promise.all([readBase(mine), plant(mine)]);
		if (mine === turn) changed();
	}

	/* A filter can say each group that this one is within. */
	const canSay = ({ within }) => within.slice(0, -1).every(({ key, group }) => groupFilter(key, group) !== null);

	return {
		view: () => view,
		/* What the rows are of; null until there are any. */
		stands: () => stands?.view ?? null,
		/* This view with the filter and the groups that the rows are of: others may be under way, or refused. */
		standing: (one) => stands ? { ...one, filter: stands.view.filter, group: stands.view.group } : one,
		total: () => list.total() === null ? null : list.total() + base.length,
		count: () => tree ? tree.count() : list.total() ?? 0,
		groupCount: () => tree ? tree.groups().length : 0,
		/* Those by the first key, in their order. */
		groups: () => tree ? tree.groups() : [],
		/* Of these groups those by the last key that are wanted, up to so many. */
		innermost: async (nodes, isWanted, most) => tree ? tree.innermost(nodes, isWanted, most) : [],
		/* What tells the colour of a group, where keys act as this view has it. */
		slotsFor: (of) => names.slots(rolesOf(of)),
		base: () => base,
		row(index) {
			if (tree) return tree.row(index);
			const run = list.at(index);
			return run ? { kind: 'run', run, depth: 0 } : { kind: 'wait' };
		},
		/* Where a run stands in the order of all, which the rule of what is drawn counts by. */
		place: (id) => list.place(id),
		loaded: () => list.loaded(),
		/* What asks for pages of all runs that the rows are of, in their order, whatever is asked for meanwhile. */
		reader() {
			const { view: of, keys: asked } = stands;
			return (query, options) => askItems({ ...listQuery(of, asked), ...query }, asked, options);
		},
		/* Whether rows that are seen could not be read. */
		lacks: () => [list, ...tree?.lists() || []].some((one) => one.lacks()),
		/* Runs of the groups that are open. */
		opened: () => tree ? tree.lists().flatMap((one) => one.loaded()) : [],
		/* What is seen; and of the first so many, which charts draw, all. */
		need(from, to) {
			tree?.need(from, to);
			seen = tree ? [] : [{ from, to }];
			needed();
		},
		needFirst(count) {
			firsts = count;
			needed();
		},
		/* The row of a run; -1: it is not among those that were read, or of the groups that are open. */
		rowOf(id) {
			if (tree) return Array.from({ length: tree.count() }, (_, at) => tree.row(at).run?.id).indexOf(id);
			const place = list.place(id);
			return Number.isFinite(place) ? place : -1;
		},
		/* Reads on, up to so many; whether there is anything to wait for. */
		seek(most) {
			sought = tree ? 0 : Math.min(most, list.total() ?? 0, most && list.firstGap() + 1);
			needed();
			return sought > 0 && list.firstGap() < sought;
		},
		first: (count) => list.first(count),
		flip: (node) => tree.flip(node),
		canOpen: canSay,
		/* The runs of a group that count as a query; null where none can say it. */
		groupQuery: (node) => canSay(node) ? withinQuery(countedFilter(stands?.view ?? view), node.within) : null,
		/* Those of its runs among these: the answer that failed, or their ids. */
		async membersOf(node, ids) {
			const query = { ...withinQuery(idFilter(ids), node.within), limit: ids.length };
			const answer = await ask('GET', `${path}/runs?${queryOf(query)}`);
			return answer.status === 200 ? { ids: answer.body.items.map(({ id }) => id) } : { fault: answer };
		},
		/* The answer that failed, or null. */
		async open(nextView, nextColumns) {
			const mine = ++turn;
			const next = { view: nextView, columns: nextColumns, keys: askedKeys(nextColumns, nextView) };
			({ view, columns, keys } = next);
			const [fault] = await Promise.all([list.restart(() => { stands = next; }), readBase(mine)]);
			if (mine !== turn) return null;
			if (fault) {
				await goBack(mine);
				return fault;
			}
			await plant(mine);
			changed();
			return null;
		},
		/* Others count in groups: their numbers anew, the rows stay. Whether they could be read. */
		async recount(out) {
			if (!stands || !tree) return false;
			view = { ...view, out };
			stands = { ...stands, view };
			planted = view;
			return tree.recount();
		},
		/* Runs by their ids, those that are not there left out. What was read once is kept as it is now. */
		byIds(ids) {
			reading = reading.then(() => readOthers(ids));
			return reading.then(() => ids.map((id) => others.get(id)).filter(Boolean));
		},
		/* Runs that were read so, wherever they stand. */
		others: () => [...others.values()].filter(Boolean),
		/* How many there would be by another filter; null when it cannot be told. */
		async countOf(filter) {
			const answer = await ask('GET', `${path}/runs?${queryOf({ filter, limit: 1, count: 'true' })}`);
			return answer.status === 200 ? answer.body.count : null;
		},
		/*
		 * These as they are now, and how many there are by now. What was asked before other columns has no values of theirs.
		 */
		async look(ids, isCounting) {
			const [fresh, answer] = await Promise.all([this.putSome(ids), isCounting
				? ask('GET', `${path}/runs?${queryOf({ filter: listQuery(view, []).filter, limit: 1, count: 'true' })}`)
					: { status: 200 }]);
			if (!fresh || answer.status !== 200) return { fault: fresh ? answer : { status: 0, body: null } };
			return { count: isCounting ? answer.body.count + base.length : null };
		},
		/* As soon as they come: what is told later is newer. */
		async putSome(ids) {
			const asked = keys;
			const fresh = await askSome(ids);
			if (asked === keys) this.put(fresh ?? []);
			return fresh;
		},
		/* What an event says of runs. */
		tell(items) {
			meanwhile.tell(items);
			this.put(items);
		},
		/* What a change of one's own was answered. */
		took(runs) {
			meanwhile.took(runs);
			this.put(runs);
		},
		put(fresh) {
			list.put(fresh);
			tree?.lists().forEach((one) => one.put(fresh));
			base = base.map((run) => ({ ...run, ...fresh.find(({ id }) => id === run.id) }));
			for (const run of fresh) if (others.get(run.id)) others.set(run.id, { ...others.get(run.id), ...run });
		},
		drop(ids) {
			[list, ...tree?.lists() || []].forEach((one) => one.drop(ids));
			base = base.filter(({ id }) => !ids.has(id));
			for (const id of ids) others.delete(id);
			tree?.lay();
		},
		stop() {
			turn++;
			names.stop();
			list.stop();
			tree?.stop();
		},
	};
}
