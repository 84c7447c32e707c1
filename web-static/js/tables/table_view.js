/*
 * A table that was read: the bar above it, the grid, and what is counted below. It holds what was chosen: the filter, the order, the
 * groups; each change finds the rows again, and draws what is seen of them.
 */

import { el, refill } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/tables.js';
import { copy } from '../ui/copy.js';
import { later } from '../ui/later.js';
import { countCell, sumCell, sumCopy, valueCell } from './cell.js';
import { wholeText } from './cell_text.js';
import { barsOf } from './column_bars.js';
import { filterRows, rowFilter } from './filter_rows.js';
import { groupRows, groupSums, keysOf, sizeOf, sortGroups } from './group_rows.js';
import { hasLayers } from './image_layers.js';
import { groupLines, plainLines } from './row_lines.js';
import { sortRows } from './sort_rows.js';
import { allRows, isMedia } from './table.js';
import { tableBar } from './table_bar.js';
import { widthOf } from './table_columns.js';
import { HEAD, tableGrid } from './table_grid.js';
import { barsNode, headCell } from './table_head.js';

const words = text.tables;
const [ROW_PX, MEDIA_ROW_PX] = [28, 92];
const COUNT_PX = 80;
const BAR_COLUMNS = 4; /* whose distribution is found between two frames */

const cellCard = later(() => import('./cell_dialog.js'));
const saving = later(() => import('./save_table.js'));

/* The sort after a click: ascending, descending, none; with `isMore` beside the others. */
function clicked(sort, column, isMore) {
	const before = sort.find((one) => one.column === column);
	const next = !before ? { column, isDown: false } : before.isDown ? null : { column, isDown: true };
	if (!isMore) return next ? [next] : [];
	return [...sort.filter((one) => one !== before), next].filter(Boolean);
}

const LOOKED_AT = 1000; /* rows, for boxes and masks */

const hasLayersIn = (table) => table.columns.some(({ kind, values }) => kind === 'media' && values.slice(0, LOOKED_AT).some(hasLayers));

/*
 * table: of table.js; files: as of table_file.js; before: the choices() of another table, whose columns are found by their names.
 * lacking: [{name, has, rows}] of files that have only the first rows of their table. Gives {node, choices(), caret(), focus(caret), stop}.
 */
export function tableView({ name, table, files, before, lacking = [] }) {
	const every = allRows(table);
	const widths = new Map();
	const rowPx = table.columns.some(({ kind }) => kind === 'media') ? MEDIA_ROW_PX : ROW_PX;
	const foot = el('footer', { class: 'file-foot', role: 'status' });
	const bar = tableBar({ table, onfilter, ongroup, onsum, save, onlayers: hasLayersIn(table) && onlayers });
	let holds = null;
	let sort = []; /* [{column, isDown}] */
	let rows = every;
	let sorted = every;
	let groups = null; /* {groups, of: their sums, order, open: which are, rows: of those that were} where rows are grouped */
	let sum = 'mean';
	let showsLayers = true;
	let lines = plainLines(every);
	let bars = new Map(); /* of columns over the rows */
	let drawing = 0;
	const grid = tableGrid({ name, rowHeight: () => rowPx, columns: shownColumns, lines: () => lines.count,
		lineProps, numberOf, act, copied, range: (seen) => findBars(seen) });
	const node = el('div', { class: 'table-view', style: { '--line-height': `${rowPx}px` } }, bar.node, grid.node, foot);

	/* ---- what is shown ---- */

	function find() {
		rows = filterRows(every, holds);
		bars = new Map();
		if (groups) group(groups.groups.columns);
		order();
	}

	const sortKeys = () => sort.filter(({ column }) => column !== 'count');

	function order() {
		sorted = sortKeys().length ? sortRows(rows, sortKeys()) : rows;
		if (groups) orderGroups();
		else lines = plainLines(sorted);
		show();
	}

	function group(columns) {
		const made = columns.length ? groupRows(rows, columns) : null;
		groups = made && { groups: made, of: groupSums(made), order: null, open: new Set(), rows: null };
	}

	function orderGroups() {
		const [first = { column: null, isDown: false }] = sort;
		groups.order = sortGroups(groups.groups, { ...first, sum, of: groups.of });
		groups.rows = new Map();
		lay();
	}

	function rowsOf(of) {
		const { groups: { sorted: all, starts }, rows: known } = groups;
		if (!known.has(of)) known.set(of, sortRows(all.subarray(starts[of], starts[of + 1]), sortKeys()));
		return known.get(of);
	}

	function lay() {
		lines = groupLines(groups.groups, { order: groups.order, rowsOf, isOpen: (of) => groups.open.has(of) });
	}

	function show() {
		grid.update();
		foot.hidden = false;
		refill(foot, el('span', {}, counted()), el('span', {}, words.columns(count(table.columns.length))),
			table.isCut && el('span', {}, words.isCut(count(table.rowCount))),
			lacking.map((one) => el('span', {}, words.lacking(one.name, count(one.has), count(one.rows)))),
			groups?.groups.isCut && el('span', {}, words.groupsCut(count(groups.groups.count))));
	}

	function counted() {
		if (!table.rowCount) return words.noRows;
		if (!rows.length) return words.noMatch;
		if (groups) return words.groups(count(groups.groups.count), count(rows.length));
		return rows.length < table.rowCount ? words.found(count(rows.length), count(table.rowCount)) : words.rows(count(table.rowCount));
	}

	/* ---- columns ---- */

	const filesOf = (column) => files.of?.(column) ?? files;

	function sortOf(column) {
		const at = sort.findIndex((one) => one.column === column);
		return at < 0 ? null : { isDown: sort[at].isDown, rank: sort.length > 1 ? at + 1 : 0 };
	}

	function width(column) {
		if (!widths.has(column)) widths.set(column, widthOf(column, table.rowCount));
		return widths.get(column);
	}

	function valueColumn(column) {
		const place = (props) => ({ props, files: filesOf(column), showsLayers });
		return {
			column, width: width(column),
			head: (props) => headCell({ name: column.name, sort: sortOf(column), isNumber: column.isNumeric,
				bars: barsNode(bars.get(column), column), ...props }),
			cell(line, props) {
				const { kind, row, group: of } = lines.at(line);
				if (kind === 'row') return valueCell(column.values[row], column.kind, place(props));
				const key = groups.groups.columns.indexOf(column);
				if (key >= 0) return valueCell(keysOf(groups.groups, of)[key], column.kind, place(props));
				return sumCell(groups.of(of, column), { which: sum, size: sizeOf(groups.groups, of), kind: column.kind, ...place(props) });
			},
		};
	}

	const countColumn = () => ({
		column: 'count', width: COUNT_PX,
		head: (props) => headCell({ name: words.count, sort: sortOf('count'), isNumber: true, bars: barsNode(null), ...props }),
		cell(line, props) {
			const { kind, group: of } = lines.at(line);
			return kind === 'group' ? countCell(sizeOf(groups.groups, of), props) : el('span', { class: 'table-cell', role: 'gridcell', ...props });
		},
	});

	function shownColumns() {
		if (!groups) return table.columns.map(valueColumn);
		const keys = groups.groups.columns;
		return [...keys.map(valueColumn), countColumn(), ...table.columns.filter((one) => !keys.includes(one)).map(valueColumn)];
	}

	/* Some columns at a time, so that scrolling goes on. */
	function findBars({ from, to }) {
		cancelAnimationFrame(drawing);
		const seen = shownColumns().slice(from, to).map(({ column }) => column);
		const wanted = seen.filter((one) => one !== 'count' && one.kind !== 'media' && !bars.has(one));
		if (!wanted.length) return;
		drawing = requestAnimationFrame(() => {
			for (const column of wanted.slice(0, BAR_COLUMNS)) bars.set(column, barsOf(column, rows));
			grid.redrawHeads();
			findBars(grid.seen());
		});
	}

	/* ---- lines ---- */

	function lineProps(line) {
		const { kind, group: of, depth } = lines.at(line);
		if (!groups) return {};
		return { 'data-group': kind === 'group' ? of : null, 'aria-level': depth + 1,
			'aria-expanded': kind === 'group' ? String(groups.open.has(of)) : null };
	}

	function numberOf(line) {
		const { kind, row, group: of } = lines.at(line);
		return kind === 'row' ? count(row + 1) : el('span', { class: groups.open.has(of) ? 'group-mark open' : 'group-mark', 'aria-hidden': 'true' }, '›');
	}

	function flip(of) {
		if (!groups.open.delete(of)) groups.open.add(of);
		lay();
		grid.update();
	}

	const valueAt = (line, { column }) => column === 'count' ? null : column.values[lines.at(line).row];

	function act(line, at, event) {
		const shown = shownColumns()[at];
		if (line === HEAD) return sortBy(shown.column, event.shiftKey);
		const { kind, group: of, row } = lines.at(line);
		if (kind === 'group') return flip(of);
		const value = valueAt(line, shown);
		if (event.type === 'click' && !isMedia(value)) return undefined;
		return cellCard('showCell', value, shown.column, { title: words.cell(shown.column.name, count(row + 1)), files: filesOf(shown.column) });
	}

	function copied(line, at) {
		const shown = shownColumns()[at];
		if (line === HEAD) return copy(shown.column.name ?? words.count);
		const { kind, group: of } = lines.at(line);
		if (kind === 'row') return copy(wholeText(valueAt(line, shown), shown.column.kind));
		if (shown.column === 'count') return copy(String(sizeOf(groups.groups, of)));
		const { kind: kindOf } = shown.column;
		const key = groups.groups.columns.indexOf(shown.column);
		if (key >= 0) return copy(wholeText(keysOf(groups.groups, of)[key], kindOf));
		return copy(sumCopy(groups.of(of, shown.column), { which: sum, size: sizeOf(groups.groups, of), kind: kindOf }));
	}

	/* ---- what is chosen ---- */

	function sortBy(column, isMore) {
		sort = clicked(sort, column, isMore);
		order();
	}

	function onfilter(typed) {
		const { holds: next, fault } = rowFilter(typed, table);
		bar.setFault(fault ?? null);
		if (fault) return;
		holds = next;
		grid.toTop();
		find();
	}

	function ongroup(columns) {
		sort = sortKeys();
		group(columns);
		grid.toTop();
		order();
		grid.node.setAttribute('role', groups ? 'treegrid' : 'grid');
	}

	function onsum(which) {
		sum = which;
		order();
	}

	function onlayers(isOn) {
		showsLayers = isOn;
		grid.redraw();
	}

	function save(as) {
		saving('saveTable', as, { name, table, rows: sorted, groups, sum });
	}

	/* ---- choices of another table ---- */

	const namesOf = (columns) => columns.map((column) => column.name);
	const choices = () => ({ typed: bar.typed(), sum, groups: groups ? namesOf(groups.groups.columns) : [],
		sort: sort.map(({ column, isDown }) => ({ name: column === 'count' ? null : column.name, isDown })) });

	function choose(chosen) {
		const columns = chosen.groups.map((one) => table.column(one)).filter(Boolean);
		({ sum } = chosen);
		sort = chosen.sort.map(({ name: of, isDown }) => ({ column: of === null ? 'count' : table.column(of), isDown })).filter(({ column }) => column);
		bar.set({ ...chosen, columns });
		const { holds: next = null, fault = null } = rowFilter(chosen.typed, table);
		bar.setFault(fault);
		holds = next;
		rows = filterRows(every, holds);
		group(columns);
		if (groups) grid.node.setAttribute('role', 'treegrid');
		order();
	}

	if (before) choose(before);
	else show();
	return {
		node, choices,
		caret: bar.caret,
		focus: bar.focus,
		stop() {
			cancelAnimationFrame(drawing);
			bar.stop();
			grid.stop();
		},
	};
}
