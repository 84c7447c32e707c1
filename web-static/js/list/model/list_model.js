/*
 * The rows of the list as the view has them: all runs in their order, or groups and what is open of them; and the
 * baselines on top. What was read stays seen until what is newer has come.
 */

import { apiPath } from '../../address.js';
import { ask } from '../../api.js';
import { countedFilter } from './counted.js';
import { groupNames } from './group_names.js';
import { isBySize } from './group_order.js';
import { groupTree } from './group_tree.js';
import { listAsking } from './list_asking.js';
import { namedRuns } from './named_runs.js';
import { pagedList } from './paged.js';
import { askedKeys, groupFilter, listQuery, withinQuery } from './run_query.js';
import { rolesOf } from './group_roles.js';
import { runUpdates } from './run_updates.js';

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
	const updates = runUpdates();
	const asking = listAsking(path, { now: () => ({ view, columns, keys }), updates, names, failed });
	const list = pagedList({ ask: (query) => asking.runs([], query), changed, failed });
	const named = namedRuns({ ask: asking.some, keys: () => keys });

	function needed() {
		list.need(...seen, { from: 0, to: firsts }, { from: 0, to: sought });
	}

	async function readBase(mine) {
		const runs = await asking.some(view.base);
		if (runs && mine === turn) base = runs;
	}

	/* The tree before stays seen until the next stands, with what was opened of it meanwhile. */
	async function plant(mine) {
		const wanted = view;
		const next = view.group.length
			? groupTree({ keys: view.group, askGroups: asking.groups, askRuns: asking.runs, changed, failed }) : null;
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
		/* Returns the view that the rows belong to; null until there are rows. */
		stands: () => stands?.view ?? null,
		/* This view with the filter and the groups that the rows are of: others may be under way, or refused. */
		standing: (one) => stands ? { ...one, filter: stands.view.filter, group: stands.view.group } : one,
		total: () => list.total() === null ? null : list.total() + base.length,
		count: () => tree ? tree.count() : list.total() ?? 0,
		/* By so many seconds it may be older than what was stored; 0: it is not. */
		behind: () => asking.behind(),
		groupCount: () => tree ? tree.groups().length : 0,
		/* Nothing that they are sorted by is known of them. */
		areGroupsBySize: () => tree !== null && isBySize(tree.groups().map(({ group }) => group), planted.group[0], planted.sort),
		/* Returns the groups by the first key, in their order. */
		groups: () => tree ? tree.groups() : [],
		/* Returns, within these groups, at most `most` of the wanted groups by the last key. */
		innermost: async (nodes, isWanted, most) => tree ? tree.innermost(nodes, isWanted, most) : [],
		/* Returns a function that gives the colour slot of a group, for the roles that this view gives to keys. */
		slotsFor: (of) => names.slots(rolesOf(of)),
		base: () => base,
		row(index) {
			if (tree) return tree.row(index);
			const run = list.at(index);
			return run ? { kind: 'run', run, depth: 0 } : { kind: 'wait' };
		},
		/* Returns the place of a run among all runs; the rule for drawn runs counts by it. */
		place: (id) => list.place(id),
		loaded: () => list.loaded(),
		/* Returns a function that reads pages of all runs of the rows' view, in their order, even after a new view. */
		reader() {
			const { view: of, keys: asked } = stands;
			return (query, options) => asking.items({ ...listQuery(of, asked), ...query }, asked, options);
		},
		/* Whether rows that are seen could not be read. */
		lacks: () => [list, ...tree?.lists() || []].some((one) => one.lacks()),
		/* Runs of the groups that are open. */
		opened: () => tree ? tree.lists().flatMap((one) => one.loaded()) : [],
		/* Requests the rows in view; the first rows, which charts draw, are requested with them. */
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
		membersOf: asking.membersOf,
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
		/* Reads the numbers of groups again after other runs count; the rows stay. Returns whether they could be read. */
		async recount(out) {
			if (!stands || !tree) return false;
			view = { ...view, out };
			stands = { ...stands, view };
			planted = view;
			return tree.recount();
		},
		/* Runs by their ids, those that are not there left out. What was read once is kept as it is now. */
		byIds: named.read,
		/* Runs that were read so, wherever they stand. */
		others: named.all,
		/* How many there would be by another filter; null if that is not known. */
		countOf: async (filter) => (await asking.count(filter)).count ?? null,
		/*
		 * These as they are now, and how many there are by now. What was asked before other columns has no values of theirs.
		 */
		async look(ids, isCounting) {
			const [fresh, answer] = await Promise.all([this.putSome(ids),
				isCounting ? asking.count(listQuery(view, []).filter) : { status: 200 }]);
			if (!fresh || answer.status !== 200) return { fault: fresh ? answer : { status: 0, body: null } };
			return { count: isCounting ? answer.count + base.length : null };
		},
		/* Applies them as soon as they arrive: later events are newer. */
		async putSome(ids) {
			const asked = keys;
			const fresh = await asking.some(ids);
			if (asked === keys) this.put(fresh ?? []);
			return fresh;
		},
		/* Takes an event about runs. */
		tell(items) {
			updates.events(items);
			this.put(items);
		},
		/* Takes the answer to one of the page's own changes. */
		took(runs) {
			updates.took(runs);
			this.put(runs);
		},
		put(fresh) {
			list.put(fresh);
			tree?.lists().forEach((one) => one.put(fresh));
			base = base.map((run) => ({ ...run, ...fresh.find(({ id }) => id === run.id) }));
			named.put(fresh);
		},
		drop(ids) {
			[list, ...tree?.lists() || []].forEach((one) => one.drop(ids));
			base = base.filter(({ id }) => !ids.has(id));
			named.drop(ids);
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
