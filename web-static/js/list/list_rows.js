/*
 * The rows of the list as they stand in its grid: the head and the baselines, which stay on top, and of all others those
 * that are seen. One of them is the current one, where keys go on from.
 */

import { el, renew, replace } from '../base/dom.js';
import { text } from '../text/list.js';
import { pressGuard } from '../ui/press_guard.js';
import { lookHeight, virtualList } from '../ui/virtual_list.js';
import { keepText } from './list_selection.js';
import { columnWidth } from './model/columns.js';
import { groupRow, headRow, runRow, waitRow } from './run_row.js';

const WAITING = 20; /* rows, no more than most screens have room for */

/* list: as run_list.js has it; seen(from, to): these are about to be; flip(index), select(index, how): a row was pressed. */
export function listRows({ list, model, seen, flip, select }) {
	const head = el('div', { class: 'list-head', role: 'rowgroup' });
	const grid = el('div',
		{ class: 'run-list scroll', role: 'grid', 'aria-label': text.workspace.head, 'aria-multiselectable': 'true', tabindex: -1,
		'data-scroll': 'runs' }, head);
	const rows = virtualList({ scroller: grid, rowHeight: lookHeight, draw, need: seen });
	const isHeadPressed = pressGuard(head, () => model.view() && drawHead(), '.handle');
	let current = 0;

	head.addEventListener('menu-closed', () => setTimeout(drawHead));
	grid.append(rows.node);

	function draw(index) {
		const row = model.row(index);
		const node = row.kind === 'run'
			? runRow(row.run, row.depth, list) : row.kind === 'group' ? groupRow(row.node, row.isOpen, index, list) : waitRow();
		node.setAttribute('aria-rowindex', String(index + 2 + model.base().length));
		node.addEventListener('mousedown', keepText);
		node.addEventListener('click', (event) => click(event, node, index));
		return node;
	}

	function drawHead() {
		if (isHeadPressed()) return;
		const width = list.shownColumns().reduce((sum, column) => sum + columnWidth(column), 0);
		grid.style.setProperty('--columns', `${width}px`);
		grid.style.setProperty('--name', list.nameRoom() === null ? '' : `${list.nameRoom()}px`);
		const nodes = [headRow(list), ...model.base().map((run, at) => {
			const node = runRow(run, 0, list);
			node.setAttribute('aria-rowindex', String(at + 2));
			return node;
		})];
		if (nodes.length !== head.children.length) replace(head, nodes);
		else [...head.children].forEach((old, at) => renew(old, nodes[at]));
	}

	/* Ignores the click if another row has taken this place since the row was drawn. */
	function click(event, node, index) {
		const row = model.row(index);
		if (event.target.closest('a, button, input')) return;
		const how = event.shiftKey ? 'range' : event.ctrlKey || event.metaKey ? 'toggle' : 'one';
		const isGroup = row.kind === 'group' && node.dataset.group === row.node.group.group;
		if (isGroup && how !== 'toggle') flip(index);
		else if (isGroup || (row.run && node.dataset.run === row.run.id)) select(index, how);
	}

	function redrawAll() {
		drawHead();
		rows.redraw();
	}

	return {
		grid,
		rows,
		/* There are others, or they are others. */
		update() {
			grid.setAttribute('role', list.seenView().group.length ? 'treegrid' : 'grid');
			drawHead();
			rows.setCount(model.count());
			grid.setAttribute('aria-rowcount', String(model.count() + model.base().length + 1));
		},
		/* Nothing was read yet. */
		wait() {
			drawHead();
			rows.setCount(WAITING);
		},
		redrawAll,
		/* Redraws the rows of these runs and groups. */
		redrawSome(ids, nodes = new Set()) {
			if ([...ids].some(list.isBase)) return redrawAll();
			const isOne = ({ run, node }) => ids.has(run?.id) || nodes.has(node);
			return rows.redraw(rows.indexes().filter((index) => isOne(model.row(index))));
		},
		toTop() {
			grid.scrollTop = 0;
		},
		current: () => current,
		makeCurrent(index) {
			current = index;
		},
		/* With the focus. */
		moveTo(index) {
			const before = current;
			current = Math.max(0, Math.min(index, model.count() - 1));
			if (before !== current) rows.redraw([before, current]);
			rows.show(current)?.focus({ preventScroll: true });
		},
		/* Makes the row current whose run is shown next to the list. */
		stand(index) {
			if (index >= 0) current = index;
			redrawAll();
		},
	};
}
