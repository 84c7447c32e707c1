/*
 * The mouse and the arrows in a panel of lines: the page's cursor, what hangs under the panel, the run in focus, the
 * zoom.
 */

import { replace } from '../../base/dom.js';
import { focusRun } from '../../base/focus.js';
import { TIMES } from '../panel/look.js';
import { moveCursor } from './cursor.js';

let rows = null; /* cursor_rows.js */
const LEAST_PX = 4; /* a shorter drag is a click */
const DOUBLE_MS = 300; /* a second click comes within that */
const WHEEL = 1.2; /* times as wide, a turn */
const BY = { ArrowLeft: -1, ArrowRight: 1 };

/* tips: line_tip.js, when it is there. */
export function lineHand(panel, tips) {
	let isFollowing = false;
	let at = -1;
	let isDragged = false;
	let picking = 0;
	let along = null; /* the place of the line along x that is near, from 1 */

	/* uPlot also reports its cursor later, and a cursor that was only set by code. */
	function isPointedAt() {
		return Boolean(panel.plot) && !isFollowing && panel.plot.over.matches(':hover');
	}

	function put(x) {
		isFollowing = true;
		panel.plot.setCursor(x === null ? { left: -10, top: -10 } : { left: panel.plot.valToPos(x, 'x'), top: 0 });
		isFollowing = false;
	}

	/* By a part that comes when panels differ. */
	async function followRows(x, from) {
		if (rows) put(rows.placeIn(panel, from, x));
		else rows = await import('./cursor_rows.js').catch(() => null);
	}

	/* The place that is next where some line has rows. */
	function placeBy(steps) {
		const filled = panel.plot.data[0]
			.map((_, place) => place)
			.filter((place) => panel.ones.some((one) => (one.line.x[place] ?? null) !== null));
		const before = filled.indexOf(at);
		const next = before < 0 ? (steps > 0 ? 0 : filled.length - 1) : before + steps;
		return filled[Math.max(0, Math.min(filled.length - 1, next))];
	}

	/* As wide as all there is at most, which is no zoom; as far as that is known. */
	function within([from, to]) {
		const [first, end] = panel.whole || [TIMES.includes(panel.data.x) ? 0 : -Infinity, Infinity];
		return from <= first && to >= end ? null : [Math.max(from, first), Math.min(to, end)];
	}

	/* Finds the line that is pointed at. uPlot does not know lines that have a path of their own. */
	function point() {
		const own = panel.ones[along - 1] ? along : null;
		const place = isPointedAt() ? panel.order.now().nearest(panel.plot, panel.ones, own) : own;
		if (place === panel.nearest) return;
		panel.nearest = place;
		if (isPointedAt()) focusRun(place ? panel.ones[place - 1].line.who : null);
	}

	function leave() {
		panel.tip.hidden = true;
		panel.nearest = null;
		moveCursor(null, panel);
		focusRun(null);
	}

	/* Treats a release of Shift outside the panel as leaving it. */
	function released({ key }) {
		if (key !== 'Shift') return;
		removeEventListener('keyup', released);
		if (!isPointedAt()) put(null), leave();
	}

	function moved() {
		if (!isPointedAt()) return;
		const { idx, left } = panel.plot.cursor;
		if (idx === null || idx === undefined || left < 0) return;
		moveCursor(panel.plot.data[0][idx], panel);
		point();
		tips.there(moved)?.fillTip(panel, idx);
	}

	function speak() {
		if (!panel.plot || document.activeElement !== panel.node) return;
		const sentence = tips.there(speak)?.fillTip(panel, at);
		if (sentence) replace(panel.spoken, sentence);
	}

	return {
		/* With Shift it stays where it is, and uPlot gets no events of the mouse. */
		freeze(event) {
			if (!event.shiftKey || event.buttons || !panel.plot || panel.tip.hidden) return;
			event.stopPropagation();
			addEventListener('keyup', released);
		},
		moved,
		near(place) {
			along = place;
			point();
		},
		leave({ type, shiftKey } = {}) {
			if (type !== 'mouseleave' || !shiftKey) leave();
		},
		stop() {
			clearTimeout(picking);
			removeEventListener('keyup', released);
		},
		follow(x, from) {
			if (from === panel || !panel.plot) return;
			if (x !== null) panel.tip.hidden = true; /* of one that was left with Shift */
			if (x === null || from.data?.x === panel.data.x) put(x);
			else followRows(x, from);
		},
		/* With Shift both ways. */
		down(event) {
			panel.plot.cursor.drag.y = event.shiftKey;
			isDragged = false;
		},
		/* Zooms to the range that was dragged over. A drag narrower than LEAST_PX is a click, which picks a run. */
		selected() {
			const { plot } = panel;
			const { left, top, width, height } = plot.select;
			const isBoth = plot.cursor.drag.y;
			if (width < LEAST_PX) return;
			const zoom = [left, left + width].map((px) => plot.posToVal(px, 'x'));
			const range = [top + height, top].map((px) => plot.posToVal(px, 'y'));
			plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
			isDragged = true;
			panel.zoomTo(zoom, isBoth && height >= LEAST_PX ? range : panel.yZoom);
		},
		/* Picks a run. If a double click would reset the zoom, it first waits whether a second click follows. */
		click({ detail }) {
			const one = panel.ones[panel.nearest - 1];
			clearTimeout(picking);
			if (!one || isDragged || detail > 1) return;
			const pick = () => panel.page.pick?.(one.line.who);
			if (panel.look.zoom || panel.yZoom) picking = setTimeout(pick, DOUBLE_MS);
			else pick();
		},
		reset() {
			clearTimeout(picking);
			panel.zoomTo(null);
		},
		/* Around where it points. */
		wheel(event) {
			if (!event.ctrlKey || !panel.plot) return;
			event.preventDefault();
			if (event.deltaY > 0 && !panel.look.zoom) return;
			const { left, width } = panel.plot.over.getBoundingClientRect();
			const times = event.deltaY < 0 ? 1 / WHEEL : WHEEL;
			const at = event.clientX - left;
			const zoom = [at - at * times, at + (width - at) * times].map((px) => panel.plot.posToVal(px, 'x'));
			panel.zoomTo(within(zoom), panel.yZoom);
		},
		press(event) {
			if (!BY[event.key] || !panel.plot || event.target !== panel.node || event.defaultPrevented) return;
			event.preventDefault();
			const next = placeBy(BY[event.key] * (event.shiftKey ? 10 : 1));
			if (next === undefined) return;
			at = next;
			put(panel.plot.data[0][at]);
			moveCursor(panel.plot.data[0][at], panel);
			speak();
		},
	};
}
