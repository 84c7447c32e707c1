/* Rows of the list of runs: a run, a group, one that is not there yet, and the head. */

import { el } from '../base/dom.js';
import { inFocus } from '../base/focus.js';
import { zonedMoment } from '../base/moments.js';
import { nameOf } from '../base/slot.js';
import { stateWord } from '../text/common.js';
import { text } from '../text/list.js';
import { menu, toast } from '../ui/controls.js';
import { cutName } from '../ui/cut_name.js';
import { besideWidth, fittedBeside, fittedMean } from '../ui/fitted.js';
import { icon } from '../ui/icons.js';
import { swatchOf } from '../ui/run_swatch.js';
import { ago } from '../ui/times.js';
import { meansOf, nameWidth, PAD } from './cell_widths.js';
import { widthHandle } from './column_handle.js';
import { cellForms, cellText, columnWidth, valueOf, wholeText } from './model/columns.js';
import { selectedId } from './model/group_path.js';
import { lateChip } from './model/late_rows.js';
import { AT, metricColumn, metricOf } from './model/metric_column.js';
import { columnName, groupName, groupValueName } from './model/names.js';

const words = text.workspace;
const OTHERS = 24 + 64; /* of the menu, and what is to be seen of other columns */

function cell(look, ...children) {
	return el('span', { role: 'gridcell', class: look }, children);
}

/* A pinned column stays next to the name while the list is scrolled, if there is room for another column. */
function placeOf(column) {
	const width = columnWidth(column);
	const left = `(var(--name) + ${column.at}px)`;
	if (!column.pinned) return { width: `${width}px` };
	return { width: `${width}px`, left: `min(${left}, (100% - ${left} - ${width + OTHERS}px) * 999)` };
}

function columnProps(column, look = '') {
	const looks = ['cell-col', column.isNumber && 'num', column.pinned && 'stays', look].filter(Boolean);
	return { class: looks.join(' '), style: placeOf(column) };
}

function columnCell(column, look, ...children) {
	return el('span', { role: 'gridcell', ...columnProps(column, look) }, children);
}

/* Shift and a click reach from the row that was selected last to this one. */
function checkbox(isOn, name, tabindex, onselect) {
	return el('input', { type: 'checkbox', checked: isOn, tabindex, 'aria-label': words.selectRow(name), onclick: (event) => {
		event.preventDefault(); /* the list draws what is selected */
		onselect(event.shiftKey);
	} });
}

/* box: what checkbox() returns. */
function eye(box, shown, label, tabindex, onclick) {
	return cell('cell-eye', box,
		el('button', { type: 'button', class: 'eye', 'aria-pressed': String(shown), 'aria-label': label, title: label,
		tabindex, onclick }, icon(shown ? 'eye' : 'eyeOff')));
}

const changeParts = (node) => node && [' ', node];

function valueCell(run, column, list) {
	const metric = list.metricOf(run, column.key);
	const value = metric ? metric.value : valueOf(run, column.key);
	if (column.key === 'state') return columnCell(column, '', el('span', { class: `state ${value}` }, value));
	const title = metric ? metric.title : wholeText(value);
	const forms = metric?.said ? [metric.said] : cellForms(column.key, value);
	const [shown, change] = fittedBeside(forms, list.changeNode(column, value, run.id), columnWidth(column) - PAD);
	return columnCell(column, '', el('span', { title, 'data-copied': String(value ?? '') }, shown), changeParts(change));
}

/* Shows the first start, by which the list is sorted; a resumed run also shows its last start, on hover. */
function startOf(run) {
	const node = ago(run.created_at, 'short');
	if (run.attempt > 1) node.title += `\n${words.resumed(run.attempt, zonedMoment(run.started_at))}`;
	return node;
}

/* list: what the row needs of the list that it is in. */
export function runRow(run, depth, list) {
	const isCurrent = list.isCurrent(run.id);
	const tabindex = isCurrent ? 0 : -1;
	const isMember = depth > 0;
	const isOn = isMember ? list.isCounted(run.id) : list.isShown(run.id);
	const name = nameOf(run);
	const cut = cutName(name, list.startOf);
	const writers = Number(run.by.writers) || 0;
	const hasRoom = nameWidth(run, depth, list) <= (list.nameRoom() ?? Infinity);
	const isBase = list.isBase(run.id);
	const isHere = list.isHere(run.id);

	return el('div', { class: `run-row ${isOn ? '' : 'off'} ${isBase ? 'pinned' : ''} ${depth ? 'inner' : ''} ${isHere ? 'here' : ''} ${inFocus() === run.id ? 'lit' : ''}`.trim(), role: 'row', tabindex,
		'data-run': run.id, 'aria-selected': String(list.isSelected(run.id)), 'aria-level': depth ? depth + 1 : null },
	eye(checkbox(list.isSelected(run.id), name, tabindex, (isRange) => list.check(run.id, isRange)), isOn, isMember ? words.countIn(name) : words.show(name), tabindex, () => list.flipRun(run.id, isMember)),
	cell('cell-name', swatchOf({ ...run, color: list.colorOf(run) }, { isBase }),
		el('span', { class: `state ${run.state}`, title: stateWord(run.state) }, icon(run.state, stateWord(run.state))),
		el('a', { class: cut.class, style: cut.style, href: list.hrefOf(run), tabindex, title: hasRoom || writers < 2 ? name : `${name}\n${words.writers(writers)}`, 'aria-label': cut.label,
			'aria-current': isHere ? 'page' : null, 'data-copied': name }, cut.nodes),
		isBase && el('span', { class: 'pin', title: words.baseline }, icon('pin', words.baseline)),
		isMember && !isBase && list.isShown(run.id)
			&& el('span', { class: 'pin', title: words.drawnBeside }, icon('stairs', words.drawnBeside)),
		writers > 1 && hasRoom && el('span', { class: 'writers', title: words.writers(writers) }, `×${writers}`),
			lateChip(run, 'short')),
	list.shownColumns().map((column) => valueCell(run, column, list)),
	cell('cell-age', startOf(run)),
	cell('cell-more', menu(el('button', { type: 'button', class: 'more', tabindex, 'aria-label': words.menuOf(name) },
		icon('more')),
		() => list.menuOf(run.id, isMember))));
}

/* runs: how many the group has. If some of them have no number, the cell says of how many the mean is. */
function meanCell(column, { numbers, runs, more = '' }, list) {
	if (!numbers?.count) return columnCell(column, '');
	const { mean, spread, forms, part: partText } = meansOf(column, { numbers, runs });
	const title = words.statistics(numbers.count, runs, mean, spread) + more;
	const change = list.changeNode(column, numbers.mean);
	const part = partText && el('small', { class: 'of' }, partText);
	const [first, around] = fittedMean(forms, columnWidth(column) - PAD - besideWidth(change) - besideWidth(part));
	return columnCell(column, `stat ${part ? 'part' : ''}`.trim(),
		el('span', { title, 'data-copied': String(numbers.mean) }, first, around && el('small', {}, around)), changeParts(part), changeParts(change));
}

/* Returns a cell of a group: the value that all of its runs have, or the number of different values. */
function valuesCell({ group }, column) {
	const told = group.different?.[column.key];
	if (!told?.count) return columnCell(column, '');
	const isOfAll = told.count === 1 && told.runs === group.count;
	const textOf = ({ value }) => value === null ? groupValueName(value) : cellText(column.key, value);
	const title = words.valuesOfGroup(told.values.map((one) => [textOf(one), one.count]), told, group.count);
	return columnCell(column, 'stat',
		el('span', { title }, isOfAll ? el('bdi', {}, textOf(told.values[0])) : words.different(told.count)));
}

function statistics(node, column, list) {
	const metric = list.metricOfGroup(node, column.key);
	if (!metric && !column.isNumber) return valuesCell(node, column);
	const { count: runs, stats } = node.group;
	if (!metric) return meanCell(column, { numbers: stats?.[column.key], runs }, list);
	if (metric.numbers) return meanCell(column, { numbers: metric.numbers, runs, more: metric.title }, list);
	return columnCell(column, 'stat', el('span', { title: metric.title }, metric.said));
}

function groupEye(node, name, tabindex, list) {
	const id = selectedId(node.within);
	const box = checkbox(list.isSelected(id), name, tabindex, (isRange) => list.check(id, isRange));
	return eye(box, list.isLineShown(node), words.showGroup(name), tabindex, () => list.flipGroup(node));
}

/* Returns the number of runs that a group's numbers are from, and of all its runs if that is another. */
function groupCount({ group: { count, all = count } }) {
	if (all === count) return el('span', { class: 'count' }, count.toLocaleString('en-US'));
	return el('span', { class: 'count', title: words.takenOut(all - count) }, words.someOf(count, all));
}

export function groupRow(node, isOpen, index, list) {
	const { group, key, depth } = node;
	const name = groupName(group);
	const isCurrent = list.isCurrentIndex(index);
	const tabindex = isCurrent ? 0 : -1;
	const moreOf = menu(el('button', { type: 'button', class: 'more', tabindex, 'aria-label': words.menuOf(name) },
		icon('more')),
		() => list.menuOfGroup(node, index));
	return el('div', { class: 'run-row group', role: 'row', tabindex, 'aria-expanded': String(isOpen),
		'aria-level': depth + 1, 'data-group': group.group,
		'aria-selected': String(list.isSelected(selectedId(node.within))), title: `${columnName(key)}: ${name}` },
	groupEye(node, name, tabindex, list),
	cell('cell-name', depth > 0 && el('span', { class: 'indent', style: { width: `${depth * 14}px` } }),
		icon(isOpen ? 'down' : 'right'),
		depth + 1 === list.seenView().group.length && swatchOf({ color_slot: list.slotOf(node.within) }),
		el('b', { class: 'clip', 'data-copied': name }, el('bdi', {}, name)), groupCount(node)),
	list.shownColumns().map((column) => statistics(node, column, list)), cell('cell-age'), cell('cell-more', moreOf));
}

export function waitRow() {
	return el('div', { class: 'run-row wait', role: 'row' }, cell('cell-eye'),
		cell('cell-name', el('span', { class: 'bone' })), cell('cell-age'));
}

function sortMark(sort, key) {
	const at = sort.findIndex((one) => one.key === key);
	if (at < 0) return null;
	return el('span', { class: 'sort-mark' }, sort[at].down ? '↓' : '↑', sort.length > 1 && el('sup', {}, at + 1));
}

function ariaSort(sort, key) {
	const one = sort[0]?.key === key ? sort[0] : null;
	return one ? one.down ? 'descending' : 'ascending' : null;
}

/* The list cannot be sorted by values that are read only for rows in view; it can by a run's best value. */
function headOf(column, { goal, by }, props) {
	const goals = goal === 'best' ? ['max', 'min'] : [goal];
	const why = words.notSorted(column.key, goals.map((how) => metricColumn(how, by)));
	return el('span', { role: 'columnheader', ...props },
		el('button', { type: 'button', class: 'sorter', title: why, 'aria-disabled': 'true', 'aria-description': why,
			onclick: () => toast(why) },
			el('span', { class: 'clip' }, column.name)));
}

/* Separates the end of a name, so that a narrow column still shows val/loss.min and val/loss.max as different. */
function clipped(name) {
	const [, front, end = ''] = name.match(/^(.{4,})(\.(?:min|max|mean|last|first|best))$/) ?? [null, name];
	return [el('span', { class: 'clip' }, front), end];
}

function headCell(key, name, list, props) {
	return el('span', { role: 'columnheader', 'aria-sort': ariaSort(list.sort(), key), ...props },
		el('button', { type: 'button', class: 'sorter', title: `${words.more(name)}\n${key}`,
			onpointerenter: list.learnDirections, onclick: (event) => list.sortBy(key, event.shiftKey) },
			clipped(name), sortMark(list.sort(), key)));
}

/* Selects all runs that were read, or clears the selection. */
function checkAll(list) {
	const { all, some } = list.checked();
	const label = some ? words.act.noneHow : words.selectAll;
	const node = el('input', { type: 'checkbox', checked: all, 'data-some': some && !all, 'aria-label': label, title: label,
		onclick: (event) => {
			event.preventDefault();
			list.checkAll(!some);
		} });
	node.indeterminate = some && !all;
	return node;
}

export function headRow(list) {
	return el('div', { class: 'run-row heads', role: 'row', 'aria-rowindex': 1 },
		el('span', { role: 'columnheader', class: 'cell-eye' }, checkAll(list),
			el('button', { type: 'button', class: 'eye', 'aria-label': words.showAll, title: words.showAll,
			onclick: list.flipAll }, icon('eye'))),
		headCell('name', words.name, list, { class: 'cell-name' }),
		list.shownColumns().map((column) => {
			const props = { ...columnProps(column), 'data-column': column.key };
			const metric = metricOf(column.key);
			const node = metric?.how === AT ? headOf(column, metric, props) : headCell(column.key, column.name, list, props);
			node.append(widthHandle(column, list));
			return node;
		}),
		headCell('created_at', words.started, list, { class: 'cell-age' }),
		el('span', { role: 'columnheader', class: 'cell-more' }, el('span', { class: 'sr' }, words.menus)));
}
