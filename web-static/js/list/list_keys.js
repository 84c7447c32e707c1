/* The list by keyboard: arrows within it, and single keys from anywhere where the page is its own. */

import { onKey } from '../base/keys.js';
import { text } from '../text/list.js';

const words = text.workspace.keys;

export function listKeys({ isBeside, grid, rows, model, list, currentIndex, currentRun, moveTo, select, flip, clear }) {
	const step = (by) => () => moveTo(currentIndex() + (grid.contains(document.activeElement) ? by : 0));
	const ofRun = (act) => () => currentRun() && act(currentRun().id);

	function flipEye() {
		const { node, run, depth } = model.row(currentIndex());
		if (node) list.flipGroup(node);
		else if (run) list.flipRun(run.id, depth > 0);
	}

	function open() {
		rows.at(currentIndex())?.querySelector('a')?.click();
	}

	function fold(isToOpen) {
		const row = model.row(currentIndex());
		if (row.kind === 'group' && row.isOpen !== isToOpen) flip(currentIndex());
	}

	function page() {
		const { from, to } = rows.seen();
		return Math.max(1, to - from - 2);
	}

	const moves = {
		ArrowDown: () => moveTo(currentIndex() + 1),
		ArrowUp: () => moveTo(currentIndex() - 1),
		Home: () => moveTo(0),
		End: () => moveTo(model.count() - 1),
		PageDown: () => moveTo(currentIndex() + page()),
		PageUp: () => moveTo(currentIndex() - page()),
		ArrowRight: () => fold(true),
		ArrowLeft: () => fold(false),
		Enter: () => model.row(currentIndex()).kind === 'group' ? flip(currentIndex()) : open(),
		' ': () => select(currentIndex(), 'toggle'),
	};

	/* With Shift the selection grows or shrinks from where it began; Ctrl+A selects all that were read. */
	function choose({ key, shiftKey, ctrlKey, metaKey }) {
		const by = { ArrowDown: 1, ArrowUp: -1 }[key];
		const to = currentIndex() + by;
		if ((ctrlKey || metaKey) && key === 'a') list.checkAll(true);
		else if (!by || !shiftKey || ctrlKey || metaKey) return false;
		else if (to >= 0 && to < model.count()) extend(to);
		return true;
	}

	function extend(to) {
		if (!list.hasAnchor()) select(currentIndex(), 'one');
		select(to, 'range');
	}

	grid.addEventListener('keydown', (event) => {
		const isRow = event.target === grid || event.target.getAttribute('role') === 'row';
		const isMove = event.key.startsWith('Arrow') || event.key.startsWith('Page') || ['Home', 'End'].includes(event.key);
		if (isRow && !isBeside && !event.altKey && choose(event)) return event.preventDefault();
		if (!Object.hasOwn(moves, event.key) || event.ctrlKey || event.metaKey || event.altKey) return undefined;
		if (!isRow && !(isMove && event.target.getAttribute('aria-haspopup') !== 'menu')) return undefined;
		event.preventDefault();
		return moves[event.key]();
	});

	const stops = isBeside ? [] : [
		onKey('j', words.next, step(1)), onKey('k', words.previous, step(-1)), onKey('v', words.eye, flipEye),
		onKey('b', words.base, ofRun(list.flipBase)), onKey('x', words.select, () => select(currentIndex(), 'toggle')),
		onKey('X', words.range, () => select(currentIndex(), 'range')), onKey('o', words.open, open),
		onKey('C', words.compare, list.compare),
		onKey('Escape', words.clear, clear),
	];
	return { stop: () => stops.forEach((stop) => stop()) };
}
