/*
 * A long list of which only what is seen stands in the document: rows of one height at their places, with a few more
 * above and below. What stands before it in the scroller is its head, which stays on top. `draw(index)` makes a row's
 * node; `need(from, to)` is told what is about to be seen. The scroll bar is that of the whole list, whatever is loaded.
 */

import { el } from '../dom.js';

const SPARE = 8;
const MOST = 60;

/* The same place within the row as it is drawn now: the row, or what has the same class there. */
function twin(focused, old, now) {
	return focused === old ? now : now.querySelector(`.${focused.classList[0]}`) || now;
}

export function virtualList({ scroller, rowHeight, draw, need }) {
	const node = el('div', { class: 'virtual', role: 'rowgroup' });
	const drawn = new Map();
	let count = 0;
	let frame = 0;

	function seen() {
		const height = rowHeight();
		const from = Math.max(0, Math.min(Math.floor(scroller.scrollTop / height), count - 1));
		const fit = Math.ceil(Math.max(0, scroller.clientHeight - node.offsetTop) / height) + 1;
		return { from, to: Math.min(from + Math.min(fit, MOST - 2 * SPARE), count) };
	}

	function make(index) {
		const row = draw(index);
		row.style.setProperty('top', `${index * rowHeight()}px`);
		drawn.set(index, row);
		return row;
	}

	function drop(index) {
		drawn.get(index).remove();
		drawn.delete(index);
	}

	/* What stays seen stays in the document. */
	function paint() {
		const { from, to } = seen();
		const [first, past] = [Math.max(0, from - SPARE), Math.min(to + SPARE, count)];
		frame = 0;
		for (const index of [...drawn.keys()]) if (index < first || index >= past) drop(index);
		for (let index = first; index < past; index++) if (!drawn.has(index)) node.append(make(index));
		need(first, past);
	}

	function later() {
		frame ||= requestAnimationFrame(paint);
	}

	/* The row that has the focus keeps it when it is drawn anew. */
	function redrawRow(index) {
		const old = drawn.get(index);
		const focused = document.activeElement;
		if (!old) return;
		if (index >= count) return drop(index);
		const now = make(index);
		const hadFocus = old.contains(focused);
		old.replaceWith(now);
		if (hadFocus) twin(focused, old, now).focus({ preventScroll: true });
	}

	function redraw(indexes = [...drawn.keys()]) {
		indexes.forEach(redrawRow);
		later();
	}

	function setCount(to) {
		count = to;
		node.style.setProperty('height', `${count * rowHeight()}px`);
		redraw();
	}

	/* Scrolls as little as need be. */
	function show(index) {
		const [top, height] = [index * rowHeight(), rowHeight()];
		const room = scroller.clientHeight - node.offsetTop;
		if (top < scroller.scrollTop) scroller.scrollTop = top;
		else if (top + height > scroller.scrollTop + room) scroller.scrollTop = top + height - room;
		cancelAnimationFrame(frame);
		paint();
		return drawn.get(index);
	}

	const sizes = new ResizeObserver(() => setCount(count));
	sizes.observe(scroller);
	scroller.addEventListener('scroll', later, { passive: true });
	return {
		node, setCount, redraw, show, seen,
		at: (index) => drawn.get(index),
		stop() {
			sizes.disconnect();
			cancelAnimationFrame(frame);
		},
	};
}
