/*
 * The hand on a strip: a click picks the moment under it, a drag or Shift and a click a stretch of time; arrows go from
 * cell to cell, Enter and Shift Enter pick.
 */

import { el, replace } from '../base/dom.js';
import { text } from '../text/writers.js';

const words = text.runMoment;
const LEAST_PX = 4; /* a shorter drag is a click */
const LEAP = 10; /* cells, with Shift */
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const within = (at, most) => Math.max(0, Math.min(most, at));
const inOrder = (a, b) => a < b ? [a, b] : [b, a];

/*
 * place: of strip_hover.js; shown(): {sheet, high}; looked(): {moment, span}; take({moment} or {span}) when one is
 * picked. Gives {update()}, for when something else is drawn or looked at.
 */
export function stripHand(place, { shown, looked, take }) {
	const line = el('i', { class: 'heat-at', hidden: true });
	const band = el('i', { class: 'heat-drag', hidden: true });
	const spoken = el('span', { class: 'sr', role: 'status' });
	let press = null; /* {x, time, isDrag} */
	let cell = { row: 0, column: 0 };

	const times = () => shown().sheet.times;
	const shareOf = (time) => (time - times()[0]) / (times()[1] - times()[0] || 1);

	function timeAt(event) {
		const box = place.getBoundingClientRect();
		const [from, to] = times();
		return from + (to - from) * within((event.clientX - box.left) / box.width, 1);
	}

	function pick(time, isStretch) {
		const { moment } = looked();
		if (isStretch && moment !== null && moment !== time) take({ span: inOrder(moment, time) });
		else take({ moment: time });
	}

	/* ---- the mouse ---- */

	function down(event) {
		if (event.button !== 0) return;
		press = { x: event.clientX, time: timeAt(event), isDrag: false };
		place.setPointerCapture(event.pointerId);
	}

	function move(event) {
		if (!press) return;
		press.isDrag ||= Math.abs(event.clientX - press.x) >= LEAST_PX;
		if (!press.isDrag) return;
		const [from, to] = inOrder(press.time, timeAt(event)).map(shareOf);
		band.hidden = false;
		band.style.setProperty('left', `${from * 100}%`);
		band.style.setProperty('width', `${(to - from) * 100}%`);
	}

	function end() {
		press = null;
		band.hidden = true;
	}

	function up(event) {
		if (!press) return;
		const { time, isDrag } = press;
		end();
		if (isDrag) take({ span: inOrder(time, timeAt(event)) });
		else pick(timeAt(event), event.shiftKey);
	}

	/* ---- the keys ---- */

	function tell() {
		const { sheet, high } = shown();
		cell = { row: within(cell.row, sheet.rows.length - 1), column: within(cell.column, sheet.wide - 1) };
		const x = (cell.column + 0.5) / sheet.wide * place.clientWidth;
		replace(spoken, place.tell({ row: sheet.rows[cell.row], column: cell.column, x, y: cell.row * high }));
	}

	function middleOf(column) {
		const [from, to] = times();
		return from + (to - from) * (column + 0.5) / shown().sheet.wide;
	}

	function key(event) {
		const { key: name, shiftKey } = event;
		const by = Object.hasOwn(MOVES, name) ? MOVES[name] : null;
		if (event.target !== place || event.ctrlKey || event.metaKey || event.altKey || !(by || name === 'Enter')) return;
		event.preventDefault();
		if (!by) return pick(middleOf(cell.column), shiftKey);
		const leap = shiftKey ? LEAP : 1;
		cell = { row: cell.row + by[0] * leap, column: cell.column + by[1] * leap };
		tell();
	}

	place.classList.add('hand');
	const props = { tabindex: 0, role: 'group', 'aria-label': words.strip };
	for (const [name, value] of Object.entries(props)) place.setAttribute(name, value);
	place.append(line, band, spoken);
	const heard = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: end, keydown: key,
		focus: () => place.matches(':focus-visible') && tell(), blur: place.hide };
	for (const [type, does] of Object.entries(heard)) place.addEventListener(type, does);

	return {
		update() {
			const share = looked().moment === null ? -1 : shareOf(looked().moment);
			line.hidden = !(share >= 0 && share <= 1);
			line.style.setProperty('left', `${share * 100}%`);
		},
	};
}
