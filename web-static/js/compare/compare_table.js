/*
 * Keys as rows, runs and groups as columns, of which only the rows that are seen are drawn. The first column is the
 * baseline.
 */

import { hrefOf } from '../address.js';
import { el, renew, replace } from '../base/dom.js';
import { focusRun } from '../base/focus.js';
import { count, shorterForms, written } from '../base/format.js';
import { isTyped } from '../base/leaves.js';
import { queryOf } from '../base/query_text.js';
import { nameOf } from '../base/slot.js';
import { table } from '../run/card.js';
import { typedWords } from '../run/shown_value.js';
import { text as common } from '../text/common.js';
import { text } from '../text/compare.js';
import { iconButton, menu, stateBadge } from '../ui/controls.js';
import { cutName, sharedStarts } from '../ui/cut_name.js';
import { besideWidth, fitted } from '../ui/fitted.js';
import { icon } from '../ui/icons.js';
import { pressGuard } from '../ui/press_guard.js';
import { swatchOf } from '../ui/run_swatch.js';
import { lookHeight, virtualList } from '../ui/virtual_list.js';
import { draggedBy } from './column_drag.js';
import { changeNode } from './model/change.js';
import { GroupValue, NOT_TOLD, standsFor, variedTexts } from './model/group_value.js';
import { bestOf, changeOf, isSame, listOf, plain } from './model/model.js';

const words = text.compare;
const LETTERS = 200; /* shown of a value */
const WHOLE = 2000; /* shown of it on hover */
const FLIPPED = 100; /* keys as columns */
const CELL = 180; /* px, until the style is there */
const EDGES = 26; /* px of a cell that are not for its words */
const FLIPPED_ROOM = 230;

/* Configs as they were written, metrics by four digits, as far as there is room for the digits. */
function shown(value, section, room) {
	if (isTyped(value)) return typedWords(value).slice(0, LETTERS);
	if (typeof value !== 'number') return plain(value).slice(0, LETTERS);
	return fitted(section === 'summary' ? shorterForms(value) : shorterForms(value, written(value)), room);
}

/* Cell of a group whose runs differ. */
function variedNode(value, section) {
	const [first, more] = variedTexts(value, section);
	return [el('bdi', {}, first.slice(0, LETTERS)), more && el('small', { class: 'muted' }, more)];
}

function valueParts(row, at, section, { kind, room }) {
	const value = standsFor(row.values[at]);
	if (value === undefined) return el('span', { class: 'muted' }, words.notSet);
	if (value === NOT_TOLD) return el('span', { class: 'muted' }, common.none);
	const isBest = bestOf(row).includes(at);
	const change = at > 0 ? changeNode(changeOf(value, row.values[0]), row.direction, kind) : null;
	const parts = value instanceof GroupValue ? variedNode(value, section)
		: el('bdi', {}, shown(value, section, room - besideWidth(change)));
	return [el(isBest ? 'strong' : 'span', {}, parts), change];
}

/* As charts know it, so that what is pointed at here stands out there. */
function focusName(column) {
	return column.isGroup ? `group:${column.lineName}` : column.id;
}

function isOther(row, at) {
	return at > 0 && !isSame(row.values[at], row.values[0]);
}

/* act: {pin(key), fold(section), base(id), remove(id), diff(run), move(id, id whose place it takes)} */
export function compareTable({ entity, project }, act) {
	const head = el('div', { class: 'compare-head', role: 'rowgroup' });
	const scroller = el('div', { class: 'scroll compare-table', role: 'table', tabindex: 0, 'aria-label': words.table,
		'data-scroll': 'compare' }, head);
	const list = virtualList({ scroller, rowHeight: lookHeight, draw, most: 80 });
	let flippedParts = el('div', {});
	const flipped = el('div', { class: 'scroll compare-flipped', hidden: true }, flippedParts);
	let room = 0; /* px of a cell */
	let now = { columns: [], rows: [], shown: [], view: {} };
	const drag = { place: { dragged: null }, move: act.move, ended: drawHead };
	const isPressed = pressGuard(head, () => drawHead());

	/* In the workspace, among the others. */
	function hrefOfGroup({ filter }) {
		return `${hrefOf(entity, project)}?${queryOf({ q: filter })}`;
	}

	/* Items that move a column to the place of its neighbour; runs come before groups. */
	function moves(column, at) {
		const to = (label, other) => other && Boolean(other.isGroup) === Boolean(column.isGroup)
			&& { label, onpick: () => act.move(column.id, other.id) };
		return [to(words.left, now.columns[at - 1]), to(words.right, now.columns[at + 1])].filter(Boolean);
	}

	function menuOfGroup(group, at) {
		return [
			group.filter !== null && { label: words.group.open, href: hrefOfGroup(group) },
			...moves(group, at),
			{ label: words.remove, name: 'close', onpick: () => act.remove(group.id) },
		].filter(Boolean);
	}

	function menuOf(run, at) {
		const why = at === 0 ? words.isBase : undefined;
		return [
			{ label: words.open, href: hrefOf(entity, project, 'runs', run.id) },
			{ label: words.makeBase, name: 'pin', key: 'b', why, onpick: () => act.base(run.id) },
			{ label: words.diff, why, onpick: () => act.diff(run) },
			...moves(run, at),
			null,
			{ label: words.remove, name: 'close', onpick: () => act.remove(run.id) },
		];
	}

	function groupTitle(group, at) {
		const name = nameOf(group);
		return [el('span', { class: 'line' }, swatchOf(group),
			el('span', { class: 'clip', title: name }, el('bdi', {}, name))),
		el('span', { class: 'line' },
			el('span', { class: 'muted' }, group.count === null ? words.reading : words.group.runs(group.count)),
			at === 0 && baseMark(), el('span', { class: 'grow' }),
			menu(iconButton('more', words.menuOf(name), { class: 'ibtn small' }), () => menuOfGroup(group, at)))];
	}

	function baseMark() {
		return el('span', { class: 'base', title: words.baseline }, icon('pin', words.baseline));
	}

	function title(run, at) {
		if (run.isGroup) return groupTitle(run, at);
		const isBase = at === 0 && now.columns.filter(({ isGroup }) => !isGroup).length > 1; /* as plots have it */
		const cut = cutName(nameOf(run), now.startOf);
		return [el('span', { class: 'line' }, swatchOf(run, { isBase }),
			el('a', { class: cut.class, style: cut.style, draggable: 'false', href: hrefOf(entity, project, 'runs', run.id), title: nameOf(run),
				'aria-label': cut.label }, cut.nodes)),
		el('span', { class: 'line' }, stateBadge(run.state),
			at === 0 && baseMark(), el('span', { class: 'grow' }),
			menu(iconButton('more', words.menuOf(nameOf(run)), { class: 'ibtn small' }), () => menuOf(run, at)))];
	}

	function pinButton({ key }) {
		const isPinned = now.view.pins.includes(key);
		const label = isPinned ? words.unpin(key) : words.pin(key);
		return el('button', { type: 'button', class: 'pin', 'aria-pressed': String(isPinned), 'aria-label': label,
			title: label,
			onclick: () => act.pin(key) }, icon('pin'));
	}

	function keyName({ key }) {
		const cut = Math.max(key.lastIndexOf('.'), key.lastIndexOf('/')) + 1;
		return el('bdi', { class: 'clip', title: key }, el('span', { class: 'muted' }, key.slice(0, cut)), key.slice(cut));
	}

	function sectionNode({ id, differ, same }) {
		const isOpen = !now.folded.has(id);
		return el('div', { class: 'compare-row section', role: 'row' }, el('span', { role: 'rowheader' },
			el('button', { type: 'button', class: 'fold', 'aria-expanded': String(isOpen), onclick: () => act.fold(id) },
				icon(isOpen ? 'down' : 'right'), words.sections[id]),
			el('span', { class: 'count' }, now.waiting.has(id) ? words.reading : words.counts(count(differ), count(same)))));
	}

	function cell(row, at, section) {
		const value = row.values[at];
		return el('span', { class: `cell ${isOther(row, at) ? 'differs' : ''}`.trim(), role: 'cell',
			'data-run': focusName(now.columns[at]),
			title: value === undefined ? null : plain(value, section).slice(0, WHOLE) },
				valueParts(row, at, section, { kind: now.view.change, room }));
	}

	function draw(index) {
		const item = now.rows[index];
		if (item.kind === 'section') return sectionNode(item.section);
		const { row, section } = item;
		return el('div', { class: 'compare-row', role: 'row', 'aria-rowindex': index + 2 },
			el('span', { class: 'key', role: 'rowheader' }, keyName(row), section === 'summary' && pinButton(row)),
			row.values.map((_, at) => cell(row, at, section)));
	}

	function drawFlipped() {
		const all = now.shown.flatMap(({ id, rows }) => rows.map((row) => ({ id, row })));
		const some = all.slice(0, FLIPPED);
		flippedParts = renew(flippedParts, el('div', {},
			all.length > FLIPPED && el('p', { class: 'note' }, words.flipped(count(FLIPPED), count(all.length))),
			table(words.table, [[words.run], ...some.map(({ row }) => [row.key])],
				now.columns.map((run, at) => el('tr', { 'data-run': focusName(run) },
				el('th', { scope: 'row' }, title(run, at)),
				some.map(({ id, row }) => el('td', { class: isOther(row, at) ? 'differs' : null },
					valueParts(row, at, id, { kind: now.view.change, room: FLIPPED_ROOM }))))))));
	}

	/* The heads keep what has the focus as long as they are the same; what is pressed or dragged stays until it is let go. */
	function drawHead() {
		if (drag.place.dragged || isPressed()) return;
		const next = el('div', { class: 'compare-row heads', role: 'row' },
			el('span', { class: 'key', role: 'columnheader' }, words.key),
			now.columns.map((run, at) => draggedBy(
				el('span', { class: 'cell', role: 'columnheader', 'data-run': focusName(run) }, title(run, at)), run, drag)));
		const shown = (run) => [run.id, nameOf(run), run.state, run.color, run.color_slot, run.count];
		const essence = JSON.stringify(now.columns.map(shown));
		if (head.dataset.essence === essence) return;
		head.dataset.essence = essence;
		replace(head, next);
	}

	scroller.append(list.node);
	for (const node of [scroller, flipped]) {
		node.addEventListener('pointerover', (event) => focusRun(event.target.closest('[data-run]')?.dataset.run ?? null));
		node.addEventListener('pointerleave', () => focusRun(null));
	}
	return {
		node: el('div', { class: 'compare-tables' }, scroller, flipped),
		/* {columns, shown, view, folded, waiting}; of sections that wait something is still being read. */
		update(next) {
			now = { ...next, rows: listOf(next.shown, next.folded),
				startOf: sharedStarts(next.columns.map(nameOf)) };
			scroller.hidden = next.view.isFlipped;
			flipped.hidden = !next.view.isFlipped;
			scroller.classList.toggle('with-groups', now.columns.some(({ isGroup }) => isGroup));
			room = (parseFloat(getComputedStyle(scroller).getPropertyValue('--cell')) || CELL) - EDGES;
			scroller.style.setProperty('--runs', String(now.columns.length));
			scroller.setAttribute('aria-rowcount', String(now.rows.length + 1));
			drawHead();
			list.setCount(now.rows.length);
			if (next.view.isFlipped) drawFlipped();
		},
		stop() {
			focusRun(null);
			list.stop();
		},
	};
}
