/*
 * CSV or TSV as a table, a thousand rows a page; the file is read as far as the page needs. The first row is the head.
 */

import { el, replace } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { text } from '../text/files.js';
import { button } from '../ui/controls.js';
import { virtualList } from '../ui/virtual_list.js';
import { DelimitedReader } from './delimited.js';
import { PART_BYTES, TABLE_BYTES } from './kind.js';
import { partFault } from './part_fault.js';

const words = text.files;
const PAGE = 1000;
const COLUMNS = 200;
const ROW_PX = 26;
const LETTERS = 300; /* shown of a cell */
const MEASURED = 200; /* rows that the widths are made by */
const [NARROW, WIDE] = [4, 40];

function widths(rows, columns) {
	return Array.from({ length: columns },
		(_, at) => Math.min(WIDE, Math.max(NARROW, ...rows.map((row) => (row[at] ?? '').length)) + 2));
}

function rowNode(role, cells, columns, index) {
	const shown = Array.from({ length: columns }, (_, at) => (cells[at] ?? '').slice(0, LETTERS));
	return el('div', { class: 'file-row', role: 'row', 'aria-rowindex': index + 1 }, shown.map((cell) =>
		el('span', { role, class: 'clip', title: cell.length > WIDE ? cell : null }, el('bdi', {}, cell))));
}

export function tableView(parts, separator) {
	const reader = new DelimitedReader(separator);
	const head = el('div', { class: 'file-head', role: 'rowgroup' });
	const scroller = el('div', { class: 'scroll file-table', tabindex: 0, role: 'table', 'aria-label': words.table },
		head);
	const foot = el('footer', { class: 'file-foot' }, words.loading);
	const list = virtualList({ scroller, rowHeight: () => ROW_PX,
		draw: (index) => rowNode('cell', reader.rows[page * PAGE + index + 1], columns, page * PAGE + index + 1) });
	let isStopped = false;
	let page = 0;
	let columns = 0;

	const isFull = () => parts.read + PART_BYTES > TABLE_BYTES;
	const rowCount = () => Math.max(0, reader.rows.length - 1);
	const rowsOfPage = () => reader.rows.slice(1 + page * PAGE, 1 + (page + 1) * PAGE);

	/* One more than the page has, so that it is known whether another follows. */
	async function readFor(wanted) {
		while (rowCount() <= (wanted + 1) * PAGE && !parts.isAll && !isFull()) {
			const part = await parts.next();
			if (isStopped || part.text === undefined) return part;
			reader.push(part.text);
		}
		if (parts.isAll) reader.end();
		return null;
	}

	function showFoot() {
		const [from, to] = [page * PAGE, Math.min((page + 1) * PAGE, rowCount())];
		const all = parts.isAll ? count(rowCount()) : words.orMore(count(rowCount()));
		const most = Math.max(...rowsOfPage().map((row) => row.length), reader.rows[0]?.length ?? 0);
		replace(foot, el('span', {}, words.rows(count(Math.min(from + 1, to)), count(to), all)),
			most > columns && el('span', {}, words.moreColumns(count(columns), count(most))),
			button(words.before, { look: 'small', disabled: page === 0, onclick: () => turn(page - 1) }),
			button(words.next, { look: 'small', disabled: rowCount() <= to, onclick: () => turn(page + 1) }),
			!parts.isAll && isFull() && el('span', {}, words.enough(bytes(TABLE_BYTES))));
	}

	function show() {
		const rows = rowsOfPage();
		const heads = reader.rows[0] ?? [];
		columns = Math.min(COLUMNS, Math.max(heads.length, ...rows.map((row) => row.length)));
		scroller.style.setProperty('--columns',
			widths([heads, ...rows.slice(0, MEASURED)], columns).map((width) => `${width}ch`).join(' '));
		scroller.setAttribute('aria-rowcount', parts.isAll ? String(reader.rows.length) : '-1');
		replace(head, rowNode('columnheader', heads, columns, 0));
		list.setCount(rows.length);
		scroller.scrollTop = 0;
		showFoot();
	}

	async function turn(to) {
		const part = await readFor(to);
		if (isStopped) return;
		if (part) return void replace(foot, partFault(part, () => turn(to)));
		page = to;
		show();
	}

	scroller.append(list.node);
	turn(0);
	return {
		node: el('div', { class: 'file-view' }, scroller, foot),
		stop() {
			isStopped = true;
			list.stop();
		},
	};
}
