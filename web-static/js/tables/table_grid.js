/*
 * The grid of a table: only the rows and columns that are seen are in the document. The grid itself has the focus, and names
 * the cell that arrows move to (aria-activedescendant), so that the cell may be scrolled away.
 */

import { el, replace } from '../base/dom.js';
import { text } from '../text/tables.js';
import { virtualList } from '../ui/virtual_list.js';
import { offsetsOf, seenColumns } from './table_columns.js';

const words = text.tables;
const NUMBER_PX = 64; /* of the column of row numbers */
export const HEAD = -1; /* the line of the heads */

let grids = 0;

/*
 * name: of the table; heights: {row}, in px; columns(): [{width, head(props), cell(line, props)}]; lines(): how many; numberOf(line): what
 * stands at its left; act(line or HEAD, column, event): Enter or a click; copyOf(line, column): text. Gives {node, update(): other lines
 * or columns, redrawHeads(), stop}.
 */
export function tableGrid({ name, rowHeight, columns, lines, lineProps, numberOf, act, copied, range = () => {} }) {
	const id = `table-grid-${++grids}`;
	const head = el('div', { class: 'table-heads', role: 'row', 'aria-rowindex': 1 });
	const headGroup = el('div', { class: 'table-head', role: 'rowgroup' }, head);
	const grid = el('div',
		{ class: 'scroll table-grid', role: 'grid', tabindex: 0, 'aria-label': words.grid(name), 'aria-readonly': 'true' }, headGroup);
	const list = virtualList({ scroller: grid, rowHeight, draw });
	let shown = [];
	let offsets = [0];
	let seen = { from: 0, to: 0 };
	let current = { line: 0, column: 0 };
	let frame = 0;

	const idOf = (line, column) => `${id}-${line === HEAD ? 'head' : line}-${column}`;

	function cellProps(line, column) {
		const isCurrent = line === current.line && column === current.column;
		return { id: isCurrent ? idOf(line, column) : null, 'aria-colindex': column + 2, 'data-current': isCurrent ? 'true' : null, 'data-column': column,
			style: { left: `${offsets[column]}px`, width: `${shown[column].width}px` } };
	}

	function* seenHere() {
		for (let column = seen.from; column < seen.to; column++) yield column;
	}

	function draw(line) {
		const cells = Array.from(seenHere(), (column) => shown[column].cell(line, cellProps(line, column)));
		return el('div', { class: 'table-line', role: 'row', 'aria-rowindex': line + 2, 'data-line': line, ...lineProps(line) },
			el('span', { class: 'row-number', role: 'rowheader', 'aria-colindex': 1 }, numberOf(line)), cells);
	}

	function drawHeads() {
		replace(head, el('span', { class: 'row-number', role: 'columnheader', 'aria-colindex': 1 }, el('span', { class: 'sr' }, words.number)),
			Array.from(seenHere(), (column) => shown[column].head(cellProps(HEAD, column))));
		point();
	}

	/* A cell that is not in the document cannot be named. */
	function point() {
		const node = document.getElementById(idOf(current.line, current.column));
		if (node) grid.setAttribute('aria-activedescendant', node.id);
		else grid.removeAttribute('aria-activedescendant');
	}

	function find() {
		const next = seenColumns(offsets, grid.scrollLeft, grid.scrollLeft + grid.clientWidth);
		const isSame = next.from === seen.from && next.to === seen.to;
		seen = next;
		return !isSame;
	}

	function look() {
		frame = 0;
		if (!find()) return point();
		drawHeads();
		list.redraw();
		range(seen);
		return point();
	}

	function update() {
		shown = columns();
		offsets = offsetsOf(shown.map(({ width }) => width), NUMBER_PX);
		current = { line: Math.min(current.line, lines() - 1), column: Math.max(0, Math.min(current.column, shown.length - 1)) };
		grid.style.setProperty('--wide', `${offsets.at(-1)}px`);
		grid.setAttribute('aria-rowcount', String(lines() + 1));
		grid.setAttribute('aria-colcount', String(shown.length + 1));
		find();
		drawHeads();
		list.setCount(lines());
		range(seen);
		point();
	}

	function showColumn(column) {
		const [left, right] = [offsets[column] - NUMBER_PX, offsets[column + 1]];
		if (left < grid.scrollLeft) grid.scrollLeft = left;
		else if (right > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = Math.min(left, right - grid.clientWidth);
	}

	function moveTo(line, column) {
		const before = current;
		current = { line: Math.max(HEAD, Math.min(line, lines() - 1)), column: Math.max(0, Math.min(column, shown.length - 1)) };
		showColumn(current.column);
		if (find()) range(seen);
		drawHeads();
		list.redraw(before.line === current.line && !frame ? [current.line] : undefined);
		if (current.line >= 0) list.show(current.line);
		point();
	}

	function page() {
		const { from, to } = list.seen();
		return Math.max(1, to - from - 2);
	}

	const moves = {
		ArrowDown: ({ line, column }) => [line + 1, column],
		ArrowUp: ({ line, column }) => [line - 1, column],
		ArrowRight: ({ line, column }) => [line, column + 1],
		ArrowLeft: ({ line, column }) => [line, column - 1],
		PageDown: ({ line, column }) => [line + page(), column],
		PageUp: ({ line, column }) => [Math.max(0, line - page()), column],
		Home: ({ line }) => [line, 0],
		End: ({ line }) => [line, Infinity],
		'Ctrl Home': () => [0, 0],
		'Ctrl End': () => [Infinity, Infinity],
	};

	function press(event) {
		if (event.target !== grid || event.altKey || !shown.length) return;
		const isChord = event.ctrlKey || event.metaKey;
		const key = isChord ? `Ctrl ${event.key}` : event.key;
		if (Object.hasOwn(moves, key)) moveTo(...moves[key](current));
		else if (key === 'Enter' || key === ' ') act(current.line, current.column, event);
		else if (key === 'Ctrl c' && !String(getSelection())) copied(current.line, current.column);
		else return;
		event.stopPropagation();
		event.preventDefault();
	}

	function click(event) {
		const cell = event.target.closest('[data-column]');
		const line = event.target.closest('[data-line]');
		if (!cell || event.target.closest('a, button, audio, video') || String(getSelection())) return;
		const at = [line ? Number(line.dataset.line) : HEAD, Number(cell.dataset.column)];
		moveTo(...at);
		act(...at, event);
	}

	grid.addEventListener('keydown', press);
	grid.addEventListener('click', click);
	grid.addEventListener('scroll', () => { frame ||= requestAnimationFrame(look); }, { passive: true });
	const sized = new ResizeObserver(look);
	sized.observe(grid);
	grid.append(list.node);
	return {
		node: grid, update, moveTo,
		redrawHeads: drawHeads,
		redraw: () => list.redraw(),
		seen: () => seen,
		current: () => current,
		toTop() {
			grid.scrollTop = 0;
		},
		stop() {
			cancelAnimationFrame(frame);
			sized.disconnect();
			list.stop();
		},
	};
}
