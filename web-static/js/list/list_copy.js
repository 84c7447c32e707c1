/*
 * Ctrl+C in the list: the value of the cell that was clicked, whole; of a row where the keyboard is, its name and its
 * columns. What is selected as text is copied as ever. The event's own clipboard is there by plain http, too.
 */

import { text } from '../text/list.js';
import { toast } from '../ui/toast.js';

const words = text.workspace;

/* The whole value, of which often less is seen. */
function valueOf(cell) {
	return cell.querySelector('[data-copied]')?.dataset.copied ?? cell.textContent.trim();
}

/* In a row of cells with tabs between. */
const asCell = (value) => value.replace(/[\t\r\n]+/g, ' ');

function cellsOf(row) {
	return [...row.querySelectorAll('.cell-name, .cell-col')];
}

export function listCopy(grid) {
	const ends = new AbortController();
	const { signal } = ends;
	let at = -1; /* of the cells of the row that has the focus */

	grid.addEventListener('pointerdown', ({ target }) => {
		const cell = target.closest('[role=gridcell]');
		at = cell ? cellsOf(cell.parentElement).indexOf(cell) : -1;
	}, { signal });
	grid.addEventListener('keydown', ({ ctrlKey, metaKey }) => {
		if (!ctrlKey && !metaKey) at = -1;
	}, { signal });

	document.addEventListener('copy', (event) => {
		const row = document.activeElement?.closest('.run-row:not(.heads)');
		if (!row || !grid.contains(row) || String(getSelection())) return;
		const cell = cellsOf(row)[at];
		const copied = cell ? valueOf(cell) : cellsOf(row).map((one) => asCell(valueOf(one))).join('\t');
		event.clipboardData.setData('text/plain', copied);
		event.preventDefault();
		toast(cell ? words.copiedCell(copied) : words.copiedRow);
	}, { signal });

	return { stop: () => ends.abort() };
}
