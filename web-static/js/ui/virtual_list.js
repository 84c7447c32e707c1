/*
 * A long list of which only what is seen stands in the document: rows of one height at their places, with a few more
 * above and below. What stands before it in the scroller is its head, which stays on top. `draw(index)` makes a row's
 * node; `need(from, to)` is called with the rows that are about to be seen. The scroll bar is that of the whole list, whatever is
 * loaded. While a row is pressed all stay as they are.
 */

import { css, el, renew } from '../base/dom.js';
import { paceOf, TALLEST } from './long_scroll.js';
import { pressGuard } from './press_guard.js';

/* Returns the height of a row in lists that use the style sheet's height. */
export function lookHeight() {
	return parseFloat(css('--row')) || 28;
}

const SPARE = 8;
const MOST = 60; /* rows in the document, unless a list of low ones says more */

export function virtualList({ scroller, rowHeight, draw, need = () => {}, most = MOST }) {
	const node = el('div', { class: 'virtual', role: 'rowgroup' });
	const drawn = new Map();
	let count = 0;
	let frame = 0;
	let waits = new Set();
	let shift = 0; /* how much higher rows are than below all that precede them */
	let shown = { index: -1, top: 0 }; /* that was asked for last, and how far it was scrolled for it */

	const room = () => Math.max(0, scroller.clientHeight - node.offsetTop);

	function pace() {
		const whole = count * rowHeight();
		return whole > TALLEST ? paceOf(whole, room()) : 1;
	}

	function seen() {
		const height = rowHeight();
		const from = Math.max(0, Math.min(Math.floor(scroller.scrollTop * pace() / height), count - 1));
		const fit = Math.ceil(room() / height) + 1;
		return { from, to: Math.min(from + Math.min(fit, most - 2 * SPARE), count) };
	}

	/* In a list that is too long for an element rows are where they are seen at this scroll position. */
	function put(row, index) {
		row.style.setProperty('top', `${index * rowHeight() - shift}px`);
	}

	function make(index) {
		const row = draw(index);
		put(row, index);
		return row;
	}

	function add(index) {
		const row = make(index);
		drawn.set(index, row);
		node.append(row);
	}

	function drop(index) {
		drawn.get(index).remove();
		drawn.delete(index);
	}

	function placeAll() {
		const before = shift;
		shift = scroller.scrollTop * (pace() - 1);
		if (shift !== before) for (const [index, row] of drawn) put(row, index);
	}

	/* Draws the rows that are in view; those that stay in view keep their nodes. */
	function paint() {
		const { from, to } = seen();
		const [first, past] = [Math.max(0, from - SPARE), Math.min(to + SPARE, count)];
		frame = 0;
		placeAll();
		scroller.classList.toggle('more-right', scroller.scrollLeft + scroller.clientWidth < scroller.scrollWidth - 1);
		for (const index of [...drawn.keys()]) if (index < first || index >= past) drop(index);
		for (let index = first; index < past; index++) if (!drawn.has(index)) add(index);
		need(first, past);
	}

	function later() {
		frame ||= requestAnimationFrame(paint);
	}

	function redrawRow(index) {
		const old = drawn.get(index);
		if (!old) return;
		if (index >= count) drop(index);
		else drawn.set(index, renew(old, make(index)));
	}

	function redraw(indexes = [...drawn.keys()]) {
		if (isPressed()) indexes.forEach((index) => waits.add(index));
		else indexes.forEach(redrawRow);
		later();
	}

	const isPressed = pressGuard(node, () => {
		const indexes = [...waits];
		waits = new Set();
		redraw(indexes);
	});

	node.addEventListener('menu-closed', () => setTimeout(redraw));

	function lay(to) {
		count = to;
		node.style.setProperty('height', `${Math.min(TALLEST, count * rowHeight())}px`);
		redraw();
	}

	function paintNow() {
		cancelAnimationFrame(frame);
		paint();
	}

	/* Draws at once, so that a caller that shows the count next to the list finds its rows there. */
	function setCount(to) {
		lay(to);
		paintNow();
	}

	/* Scrolls as little as need be. */
	function show(index) {
		const [top, height, every] = [index * rowHeight(), rowHeight(), pace()];
		const [from, high] = [scroller.scrollTop * every, scroller.clientHeight - node.offsetTop];
		if (top < from) scroller.scrollTop = top / every;
		else if (top + height > from + high) scroller.scrollTop = (top + height - high) / every;
		shown = { index, top: scroller.scrollTop };
		paintNow();
		return drawn.get(index);
	}

	/* Keeps the shown row in view, unless the user has scrolled since. */
	function resized() {
		lay(count);
		if (shown.index >= 0 && shown.index < count && scroller.scrollTop === shown.top) show(shown.index);
	}

	const sizes = new ResizeObserver(resized);
	sizes.observe(scroller);
	const ends = new AbortController();
	addEventListener('rows', () => lay(count), { signal: ends.signal });
	scroller.addEventListener('scroll', later, { passive: true });
	return {
		node, setCount, redraw, show, seen,
		at: (index) => drawn.get(index),
		/* Indexes of the rows that are in the document. */
		indexes: () => [...drawn.keys()],
		stop() {
			sizes.disconnect();
			ends.abort();
			cancelAnimationFrame(frame);
		},
	};
}
