/*
 * The list of runs: filtered, grouped, sorted and with the columns that the address says; what is drawn, what is
 * selected.
 */

import { hrefOf } from '../address.js';
import { el, renew, replace } from '../dom.js';
import { columnWidth, defaultColumns, withKinds } from '../runs/columns.js';
import { filterFault } from '../runs/filter_parts.js';
import { knownKeys } from '../runs/known_keys.js';
import { listModel } from '../runs/list_model.js';
import { inAddress, rememberPlace } from '../runs/list_place.js';
import { summaryColumn } from '../runs/metric_column.js';
import { isOfFilter, isRefused } from '../runs/refused.js';
import { essenceOf, orderOf } from '../runs/run_query.js';
import { readView, sortBy, WIDTHS, writeView } from '../runs/run_view.js';
import { text } from '../text.js';
import { toast } from './controls.js';
import { filterField } from './filter_field.js';
import { later } from './later.js';
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
import { keepText, listSelection } from './list_selection.js';
import { listState } from './list_state.js';
import { listTools } from './list_tools.js';
import { listWalk } from './list_walk.js';
import { pressGuard } from './press_guard.js';
import { mayWriteAs, roleIn } from './role.js';
import { groupRow, headRow, runRow, waitRow } from './run_row.js';
import { viewMenu } from './view_menu.js';
import { lookHeight, virtualList } from './virtual_list.js';

const words = text.workspace;
const NAME_WIDTH = { side: 150, table: 260 };
const FIXED = 36 + 64 + 32;
const csv = later(() => import('./list_csv.js'));

/*
 * {node, start() -> the answer that failed or null, pick(id), walk, stop}; ondrawn({runs, groups}) whenever charts have
 * others to draw, onempty(isEmpty) whether there is any run, whatever the filter. beside: {here(), hrefOf(id)} of a
 * list at the page of a run, for which nothing is drawn, and which tells itself what failed.
 */
export function runList({ address, isTable, user, place = inAddress, beside = null, ondrawn = () => {}, onempty = () => {} }) {
	const model = listModel({ ...address, changed, failed });
	const known = knownKeys(address);
	let view = readView(place.query());
	let current = 0;
	let asked = '';
	let askedOut = ''; /* what does not count in groups */
	let readings = 0; /* under way */
	let slots = null; /* of groups */
	let reading = null;
	let role; /* of the user, in the project's entity */

	const rowAt = (index) => model.row(index);
	const runAt = (index) => rowAt(index).run;
	const selection = listSelection({ model, rowAt, groupKeys: () => view.group, changed: selectionChanged });
	const columns = () => {
		const all = withKinds(view.columns || defaultColumns(isTable, known), known,
			{ isGrouped: view.group.length > 0, isChanged: view.change !== 'off' && view.base.length > 0, isTable });
		return [...all.filter(({ pinned }) => pinned), ...all.filter(({ pinned }) => !pinned)];
	};

	/* Decisions are steps of the history; what is typed or dragged is not. */
	function set(changes, { isTyped = false } = {}) {
		place.setQuery(writeView(changes), { replace: isTyped });
	}

	const eyes = listEyes({ model, view: () => model.standing(view), set });
	const list = {
		view: () => view, seenView: () => model.standing(view), query: place.query, set, columns, known, reload,
		whyNot: () => mayWriteAs(role) ? '' : text.runPage.onlyRead,
		isBeside: beside !== null, isHere: (id) => beside?.here() === id,
		hrefOf: ({ entity, project, id }) => beside?.hrefOf(id) ?? hrefOf(entity, project, 'runs', id),
		sort: () => view.sort,
		sortBy: (key, isMore) => set({ sort: sortBy(view.sort, key, isMore) }),
		total: () => model.total(),
		...eyes,
		drawn: () => (list.seenView().group.length > 1 ? drawn.lines() : null) ?? eyes.drawnCount(),
		slotOf: (within) => slots(within),
		tint: () => drawn.tint(),
		colorOf: (run) => drawn.tint() ? drawn.tint().of(run) : run.color,
		isBase: (id) => view.base.includes(id),
		isSelected: selection.has,
		isCurrent: (id) => runAt(current)?.id === id,
		isCurrentIndex: (index) => index === current,
		flipBase: (id) => set({ base: list.isBase(id) ? view.base.filter((one) => one !== id) : [...view.base, id] }),
		menuOfGroup: (node, index) => actions.menuOfGroup(node, () => select(index, 'toggle')),
		menuOf: (id, isMember) => actions.menuOf(selection.run(id), isMember),
		putBack,
		metricOf: (run, key) => metrics.cellOf(run, key),
		metricOfGroup: (node, key) => metrics.groupCellOf(node, key),
		changeNode: (column, value, id) => change.nodeOf(column, value, id),
		setWidth,
		saveCsv,
		compare: () => compareRuns(address, { view, columns: columns(), selection }),
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

	const drawn = listDrawn({ model, view: list.view, ondrawn, changed: drawnOtherwise });
	const actions = listActions(list);
	const filter = filterField({ value: view.filter, known,
		onchange: (typed) => typed === view.filter || set({ filter: typed }, { isTyped: true }) });
	const views = viewMenu({ ...address, canSave: Boolean(user), place });
	const tools = listTools({ address, isTable, filter, views, list });
	const head = el('div', { class: 'list-head', role: 'rowgroup' });
	const grid = el('div',
		{ class: 'run-list scroll', role: 'grid', 'aria-label': words.head, 'aria-multiselectable': 'true', tabindex: -1,
		'data-scroll': 'runs' }, head);
	const rows = virtualList({ scroller: grid, rowHeight: lookHeight, draw, need: (from, to) => {
		model.need(from, to);
		foot.update(rows.seen(), model);
		feed.moved();
		metrics.update();
	} });
	const foot = listFoot({ list, selectedRuns: selection.runs, selectedGroups: selection.groups, clear: selection.clear,
		actions });
	const state = listState({ list, model, retry: reload, onempty });
	const feed = listFeed({ address, model, seenIds, drawnIds: drawn.ids, came: (count) => tools.tellNew(count),
		lost: list.lost, changed, wentOn, state, reload });
	const metrics = listMetrics({ address, model, columns, seen: () => rows.indexes().map(rowAt), came: redrawRuns });
	const change = listChange({ address, model, view: list.view, metricOf: metrics.cellOf, changed: redrawAll });
	const focus = listFocus(grid);
	const copier = listCopy(grid);
	const isHeadPressed = pressGuard(head, () => model.view() && drawHead(), '.handle');
	head.addEventListener('menu-closed', () => setTimeout(drawHead));
	grid.append(rows.node);
	const walk = listWalk({ model, rows, draw: stand });
	const keys = listKeys({ isBeside: list.isBeside, grid, rows, model, list, currentIndex: () => current,
		currentRun: () => runAt(current), moveTo, select, flip, filter, clear: selection.clear });

	function draw(index) {
		const row = rowAt(index);
		const node = row.kind === 'run'
			? runRow(row.run, row.depth, list) : row.kind === 'group' ? groupRow(row.node, row.isOpen, index, list) : waitRow();
		node.setAttribute('aria-rowindex', String(index + 2 + model.base().length));
		node.addEventListener('mousedown', keepText);
		node.addEventListener('click', (event) => click(event, node, index));
		return node;
	}

	function drawHead() {
		if (isHeadPressed()) return;
		const width = columns().reduce((sum, column) => sum + columnWidth(column),
			FIXED + NAME_WIDTH[isTable ? 'table' : 'side']);
		grid.style.setProperty('--row-width', `${width}px`);
		const nodes = [headRow(list), ...model.base().map((run, at) => {
			const node = runRow(run, 0, list);
			node.setAttribute('aria-rowindex', String(at + 2));
			return node;
		})];
		if (nodes.length !== head.children.length) replace(head, nodes);
		else [...head.children].forEach((old, at) => renew(old, nodes[at]));
	}

	function changed() {
		if (!model.view()) return tools.update();
		slots = model.slotsFor(list.seenView());
		grid.setAttribute('role', list.seenView().group.length ? 'treegrid' : 'grid');
		drawHead();
		rows.setCount(model.count());
		grid.setAttribute('aria-rowcount', String(model.count() + model.base().length + 1));
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

	/* Of runs that only go on nothing else changes here than how many rows they have, where that is a column. */
	function wentOn(ids) {
		if (!model.view()) return;
		if (columns().some(({ key }) => key === 'rows')) redrawRuns(ids);
		metrics.update();
		tellDrawn();
	}

	function redrawAll() {
		drawHead();
		rows.redraw();
	}

	function redrawRuns(ids, nodes = new Set()) {
		if (view.base.some((id) => ids.has(id))) return redrawAll();
		rows.redraw(rows.indexes().filter((index) => ids.has(runAt(index)?.id) || nodes.has(rowAt(index).node)));
	}

	function tellDrawn() {
		if (!beside) drawn.tell();
	}

	function drawnOtherwise() {
		tools.update();
		state.update();
		redrawAll();
	}

	/* What came into the place of a row after it was seen is not what was meant. */
	function click(event, node, index) {
		const row = rowAt(index);
		if (event.target.closest('a, button')) return;
		const how = event.shiftKey ? 'range' : event.ctrlKey || event.metaKey ? 'toggle' : 'one';
		const isGroup = row.kind === 'group' && node.dataset.group === row.node.group.group;
		if (isGroup && how !== 'toggle') flip(index);
		else if (isGroup || (row.run && node.dataset.run === row.run.id)) select(index, how);
	}

	function select(index, how) {
		if (selection.select(index, how)) moveTo(index);
	}

	function selectionChanged() {
		rows.redraw();
		foot.update(rows.seen(), model);
	}

	function moveTo(index) {
		const before = current;
		current = Math.max(0, Math.min(index, model.count() - 1));
		if (before !== current) rows.redraw([before, current]);
		rows.show(current)?.focus({ preventScroll: true });
	}

	/* Where one is, from a list beside what is shown of it. */
	function stand(index) {
		if (index >= 0) current = index;
		redrawAll();
	}

	async function flip(index) {
		const row = rowAt(index);
		if (row.kind !== 'group') return;
		if (!model.canOpen(row.node)) return void toast(words.cannotOpen);
		current = index;
		await model.flip(row.node);
	}

	function setWidth(key, width, isDone) {
		const next = columns().map((column) => column.key === key
			? { ...column, width: Math.round(Math.min(Math.max(width, WIDTHS[0]), WIDTHS[1])) } : column);
		view = { ...view, columns: next };
		if (isDone) set({ columns: next }, { isTyped: true });
		else changed();
	}

	/* Of these runs, or else of all that the filter finds, when what is being read has come. */
	function saveCsv(some = null) {
		const counts = ({ id }) => !view.group.length || list.isCounted(id);
		return csv('saveRuns', some && (() => selection.asRead(some)), { reading: () => reading, columns, model, change,
			group: () => view.group, counts, address });
	}

	function seenIds() {
		const { from, to } = rows.seen();
		return [...new Set([...view.base, ...selection.range(from, Math.max(from, to - 1))])];
	}

	/* The answer that failed first of all, or null. What the filter is refused for is said at the filter. */
	async function read() {
		const shownColumns = columns();
		asked = essenceOf(view, shownColumns);
		askedOut = outOf(view);
		readings++;
		state.begin();
		feed.begins();
		const fault = await model.open(view, shownColumns).finally(() => readings--);
		feed.ends();
		state.done(fault);
		if (isOfFilter(fault)) {
			filter.setFault(filterFault(fault.body, known.keys(), view.filter));
		} else if (!fault) {
			filter.set(view.filter);
		}
		if (fault) tools.update();
		else feed.began();
		walk.tell(!fault);
		return fault;
	}

	function open() {
		reading = read();
		return reading;
	}

	const outOf = ({ group, out }) => group.length ? String(out) : '';

	/* Others count in groups: the rows stay as they are. What is read meanwhile is read anew. */
	async function recount() {
		if (readings) return open();
		askedOut = outOf(view);
		changed();
		if (await model.recount(view.out)) state.fresh();
		return null;
	}

	/* All runs of a group count there again. */
	async function putBack(node) {
		const { ids, fault } = await model.membersOf(node, view.out);
		if (fault) toast(text.fault.of(fault));
		else eyes.count(ids, true);
	}

	function reload() {
		tools.tellNew(0);
		return open();
	}

	/* Keys of the first runs: the columns of who has chosen none, and what is suggested. */
	async function learn() {
		await known.learn();
		await learnChosen();
		knowMore();
	}

	/* What is known of keys may make other columns. */
	function knowMore() {
		if (essenceOf(view, columns()) !== asked) open();
		else changed();
	}

	const learnChosen = () => known.learnOf((view.columns ?? []).map(({ key }) => summaryColumn(key) ?? key));

	async function readRole() {
		if (user) role = await roleIn(address.entity);
	}

	/* Other runs, or others first: they are seen from the first on. */
	const stopQuery = place.onQuery(() => {
		const before = orderOf(view);
		rememberPlace(address, place.query());
		view = readView(place.query());
		if (orderOf(view) !== before) grid.scrollTop = 0;
		learnChosen().then((isMore) => isMore && knowMore());
		if (essenceOf(view, columns()) === asked) return outOf(view) === askedOut ? changed() : recount();
		current = 0;
		return open();
	});

	return {
		node: el('section', { class: `runs ${isTable ? 'wide' : ''} ${beside ? 'aside' : ''}`.trim(),
			'aria-label': words.head }, tools.nodes, state.node, grid, foot.node),
		async start() {
			const [fault] = await Promise.all([open(), readRole()]);
			if (fault && !isRefused(fault) && !beside) return fault;
			learn();
			rememberPlace(address, place.query());
			views.start();
			feed.start();
			return null;
		},
		walk,
		/* Selects a run that was pointed at elsewhere, which need not be among those that were read. */
		async pick(id) {
			if (!selection.run(id) && !(await model.byIds([id])).length) return;
			selection.only(id);
			const place = model.place(id);
			if (!view.group.length && Number.isFinite(place)) rows.show(place);
		},
		stop() {
			stopQuery();
			[rows, model, walk, feed, keys, filter, views, focus, copier, metrics, change, drawn]
				.forEach((part) => part.stop());
		},
	};
}
