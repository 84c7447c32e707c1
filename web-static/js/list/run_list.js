/*
 * The list of runs: filtered, grouped, sorted and with the columns that the address says; what is drawn, what is
 * selected. Its parts are brought together here: what it reads (list_reading.js), its rows (list_rows.js), what lies around
 * them.
 */

import { hrefOf } from '../address.js';
import { el } from '../base/dom.js';
import { nameOf } from '../base/slot.js';
import { mayWriteAs, roleIn } from '../projects/role.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { toast } from '../ui/controls.js';
import { sharedStarts } from '../ui/cut_name.js';
import { later, loaded } from '../ui/later.js';
import { asideColumns } from './aside_columns.js';
import { filterField } from './filter_field.js';
import { listActions } from './list_actions.js';
import { listChange } from './list_change.js';
import { compareRuns } from './list_compare.js';
import { listCopy } from './list_copy.js';
import { listDrawn } from './list_drawn.js';
import { listEyes } from './list_eyes.js';
import { listFeed } from './list_feed.js';
import { listFocus } from './list_focus.js';
import { listFoot } from './list_foot.js';
import { listKeys } from './list_keys.js';
import { listMetrics } from './list_metrics.js';
import { listReading } from './list_reading.js';
import { listRows } from './list_rows.js';
import { listSelection } from './list_selection.js';
import { listState } from './list_state.js';
import { listTools } from './list_tools.js';
import { listWalk } from './list_walk.js';
import { filterFault } from './model/filter_parts.js';
import { knownKeys } from './model/known_keys.js';
import { listModel } from './model/list_model.js';
import { inAddress, rememberPlace } from './model/list_place.js';
import { isOfFilter, isRefused } from './model/refused.js';
import { sortBy as sortedBy } from './model/run_view.js';
import { nameRoom } from './name_room.js';
import { viewMenu } from './view_menu.js';

const words = text.workspace;
const csv = later(() => import('./list_csv.js'));

/*
 * {node, start() -> the answer that failed or null, wait(), pick(id), walk, stop}; ondrawn({runs, groups}) whenever charts have
 * others to draw, onempty(isEmpty) whether there is any run, whatever the filter. beside: {here(), hrefOf(id)} of a
 * list at the page of a run, for which nothing is drawn, and which shows its own errors.
 */
export function runList({ address, isTable, user, place = inAddress, beside = null, ondrawn = () => {}, onempty = () => {} }) {
	const model = listModel({ ...address, changed, failed });
	const known = knownKeys(address);
	let slots = null; /* of groups */
	let startOf = () => 0; /* as of cut_name.js */
	let best = null; /* of best_first.js */
	let isStopped = false;
	let role; /* of the user, in the project's entity */

	const rowAt = (index) => model.row(index);
	const runAt = (index) => rowAt(index).run;
	const asking = listReading({ address, place, isTable, model, known, begins, ends, changed,
		counted: () => state.fresh(), toTop: () => shown.toTop(), toFirst: () => shown.makeCurrent(0) });
	const { view, columns, set, open } = asking;
	const selection = listSelection({ model, rowAt, groupKeys: () => view().group, changed: selectionChanged });
	const eyes = listEyes({ model, view: () => model.standing(view()), set });
	const list = {
		view, seenView: () => model.standing(view()), query: place.query, set, columns, known, reload,
		shownColumns: () => aside ? aside.fitting().columns : room?.columns() ?? columns(),
		nameRoom: () => room?.width() ?? null,
		whyNot: () => mayWriteAs(role) ? '' : common.onlyRead,
		isBeside: beside !== null, isHere: (id) => beside?.here() === id,
		hrefOf: ({ entity, project, id }) => beside?.hrefOf(id) ?? hrefOf(entity, project, 'runs', id),
		sort: () => view().sort,
		sortBy,
		learnDirections: async () => (await bestFirst())?.learn(),
		total: () => model.total(),
		...eyes,
		drawn: () => (list.seenView().group.length > 1 ? drawn.lines() : null) ?? eyes.drawnCount(),
		slotOf: (within) => slots(within),
		tint: () => drawn.tint(),
		colorOf: (run) => drawn.tint() ? drawn.tint().of(run) : run.color,
		isBase: (id) => view().base.includes(id),
		isSelected: selection.has,
		check, checked: selection.checked, checkAll: selection.checkAll, hasAnchor: selection.hasAnchor,
		startOf: (name) => startOf(name),
		isCurrent: (id) => runAt(shown.current())?.id === id,
		isCurrentIndex: (index) => index === shown.current(),
		flipBase: (id) => set({ base: list.isBase(id) ? view().base.filter((one) => one !== id) : [...view().base, id] }),
		menuOfGroup: (node, index) => actions.menuOfGroup(node, () => select(index, 'toggle')),
		menuOf: (id, isMember) => actions.menuOf(selection.run(id), isMember),
		putBack,
		metricOf: (run, key) => metrics.cellOf(run, key),
		metricOfGroup: (node, key) => metrics.groupCellOf(node, key),
		changeNode: (column, value, id) => change.nodeOf(column, value, id),
		setWidth: asking.setWidth,
		saveCsv,
		compare: () => compareRuns(address, { view: view(), columns: columns(), selection }),
		took(runs) {
			model.took(runs);
			changed();
		},
		lost(runs) {
			const gone = new Set(runs.map(({ id }) => id));
			selection.drop(gone);
			model.drop(gone);
			feed.began();
			changed();
		},
		/* They are found again within seconds: the feed counts them as new, and they are no news. */
		cameBack: (runs) => feed.expect(runs.length),
	};

	const drawn = listDrawn({ model, view, ondrawn, changed: drawnOtherwise });
	const actions = listActions(list);
	const filter = filterField({ value: view().filter, known, ontype: () => state.typed(),
		onleave: () => model.count() && shown.moveTo(shown.current()),
		onchange: (typed) => typed === view().filter || set({ filter: typed }, { isTyped: true }) });
	const views = viewMenu({ ...address, canSave: Boolean(user), place });
	const tools = listTools({ address, isTable, filter, views, list });
	const shown = listRows({ list, model, flip, select, seen: (from, to) => {
		if (!model.stands()) return;
		model.need(from, to);
		foot.update(rows.seen(), model);
		feed.moved();
		metrics.update();
	} });
	const { grid, rows } = shown;
	const aside = beside && asideColumns(grid, columns, asideResized);
	const room = beside || isTable ? null : nameRoom({ grid, model, list, columns, changed: shown.redrawAll });
	const foot = listFoot({ list, selectedRuns: selection.runs, selectedGroups: selection.groups, clear: selection.clear,
		actions });
	const state = listState({ list, model, isTyped: filter.has, retry: reload, onempty });
	const feed = listFeed({ address, model, seenIds, drawnIds: drawn.ids, came: (count) => tools.tellNew(count),
		lost: list.lost, changed, wentOn, state, reload });
	const metrics = listMetrics({ address, model, columns, seen: () => rows.indexes().map(rowAt), came: shown.redrawSome });
	const change = listChange({ address, model, view, metricOf: metrics.cellOf, changed: shown.redrawAll });
	const focus = listFocus(grid);
	const copier = listCopy(grid);
	const walk = listWalk({ model, rows, draw: shown.stand });
	const keys = listKeys({ isBeside: list.isBeside, grid, rows, model, list, currentIndex: shown.current,
		currentRun: () => runAt(shown.current()), moveTo: shown.moveTo, select, flip, clear: selection.clear });

	function changed() {
		if (!model.view()) return tools.update();
		slots = model.slotsFor(list.seenView());
		startOf = sharedStarts([...model.base(), ...model.loaded(), ...model.opened()].map(nameOf));
		fitAside();
		room?.update();
		shown.update();
		tools.update();
		foot.update(rows.seen(), model);
		state.update();
		metrics.update();
		change.update();
		feed.sized();
		tellDrawn();
		walk.tell(true);
	}

	function failed(answer) {
		state.fail(answer);
		walk.tell(false);
	}

	/* Takes runs that only log rows: the list changes only if the number of rows is a column. */
	function wentOn(ids) {
		if (!model.view()) return;
		if (columns().some(({ key }) => key === 'rows')) shown.redrawSome(ids);
		metrics.update();
		tellDrawn();
	}

	function fitAside() {
		if (aside) grid.parentElement.classList.toggle('no-age', !aside.fitting().hasAge);
	}

	function asideResized() {
		fitAside();
		shown.redrawAll();
	}

	function tellDrawn() {
		if (!beside) drawn.tell();
	}

	function drawnOtherwise() {
		tools.update();
		state.update();
		shown.redrawAll();
	}

	async function bestFirst() {
		best ??= (await loaded(() => import('./best_first.js')))?.bestFirst(address, model.loaded) ?? null;
		return best;
	}

	/* The first click on a head sorts the best first, if that is known, else the greatest. */
	async function sortBy(key, isMore) {
		const isKnown = view().sort.some((one) => one.key === key);
		const isUp = !isKnown && ((await (await bestFirst())?.isLowerBest(key)) ?? false);
		if (isStopped) return;
		set({ sort: sortedBy(view().sort, key, { isMore, isUp }) });
	}

	function select(index, how) {
		if (selection.select(index, how)) shown.moveTo(index);
	}

	/* Keys go on from the row that was checked. */
	function check(id, isRange) {
		const place = selection.placeOf(id);
		if (place >= 0) shown.makeCurrent(place);
		selection.check(id, isRange);
	}

	function selectionChanged() {
		shown.redrawAll();
		foot.update(rows.seen(), model);
	}

	async function flip(index) {
		const row = rowAt(index);
		if (row.kind !== 'group') return;
		if (!model.canOpen(row.node)) return void toast(words.cannotOpen);
		shown.makeCurrent(index);
		await model.flip(row.node);
	}

	/* Saves these runs, or else all runs that the filter finds, once the read in progress has finished. */
	function saveCsv(some = null) {
		const counts = ({ id }) => !view().group.length || list.isCounted(id);
		return csv('saveRuns', some && (() => selection.asRead(some)), { reading: asking.reading, columns, model, change,
			group: () => view().group, counts, address });
	}

	function seenIds() {
		const { from, to } = rows.seen();
		return [...new Set([...view().base, ...selection.range(from, Math.max(from, to - 1))])];
	}

	function begins() {
		state.begin();
		feed.begins();
	}

	/* Ends a read; an error about the filter is shown at the filter's field. */
	function ends(fault) {
		feed.ends();
		if (isOfFilter(fault)) {
			filter.setFault(filterFault(fault.body, known.keys(), view().filter));
		} else if (!fault) {
			filter.set(view().filter);
		}
		state.done(fault);
		if (fault) tools.update();
		else feed.began();
		walk.tell(!fault);
	}

	/* All runs of a group count there again. */
	async function putBack(node) {
		const { ids, fault } = await model.membersOf(node, view().out);
		if (fault) toast(common.fault.of(fault));
		else eyes.count(ids, true);
	}

	function reload() {
		tools.tellNew(0);
		return open();
	}

	async function readRole() {
		if (user) role = await roleIn(address.entity);
	}

	return {
		node: el('section', { class: `runs ${isTable ? 'wide' : ''} ${beside ? 'aside' : ''}`.trim(),
			'aria-label': words.head }, tools.nodes, state.node, grid, foot.node),
		async start() {
			const [fault] = await Promise.all([open(), readRole()]);
			if (isStopped || (fault && !isRefused(fault) && !beside)) return fault;
			asking.learn();
			rememberPlace(address, place.query());
			views.start();
			feed.start();
			return null;
		},
		/* It is seen before it was read. */
		wait() {
			tools.update();
			shown.wait();
		},
		walk,
		/* Selects a run that was pointed at elsewhere, which need not be among those that were read. */
		async pick(id) {
			if (!selection.run(id) && !(await model.byIds([id])).length) return;
			selection.only(id);
			const place = model.place(id);
			if (!view().group.length && Number.isFinite(place)) rows.show(place);
		},
		stop() {
			isStopped = true;
			[asking, rows, model, walk, feed, keys, filter, views, focus, copier, metrics, change, drawn, aside, room]
				.forEach((part) => part?.stop());
		},
	};
}
