/*
 * Shows the cell under the mouse on a strip: label, value, ratio to the middle if there is one, and time. shown()
 * returns {sheet, high}, a row's height; sheet.say and sheet.where format a value and a place on the axis. The node has
 * tell(cell), which shows and returns the text of {row, column, x, y}, and hide().
 */

import { el, replace } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { moment } from '../../base/moments.js';
import { text } from '../../text/common.js';
import { percent } from '../data/ratio_scale.js';

const words = text.strip;

function cellAt(event, canvas, { sheet, high }) {
	const box = canvas.getBoundingClientRect();
	const row = sheet.rows[Math.floor((event.clientY - box.top) / high)];
	const column = Math.min(sheet.wide - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * sheet.wide)));
	return row && { row, column, x: event.clientX - box.left, y: event.clientY - box.top };
}

function cellWords({ row, column }, sheet) {
	const value = row.cells[column];
	const [from, to] = sheet.times;
	const { say = number, where = (seconds) => moment(seconds * 1000) } = sheet;
	const at = where(from + (to - from) * (column + 0.5) / sheet.wide);
	const valueText = Number.isNaN(value) ? words.silent
		: words.cell(say(value), sheet.middle?.[column] ? percent((value / sheet.middle[column] - 1) * 100) : '');
	return [el('b', {}, el('bdi', {}, row.label)), ` ${valueText}`, el('span', { class: 'muted' }, ` ${at}`)];
}

/* A browser without popovers shows the tip at its fixed place alone. */
const isOpen = (tip) => Boolean(tip.showPopover) && tip.matches(':popover-open');
const [ASIDE, BELOW, EDGE] = [12, 14, 8]; /* px from the pointer, and from the edges of the window */

/* Next to the pointer, within the window. The tip is in the top layer, so that no panel clips it. */
function placeTip(tip, { x, y }) {
	const { offsetWidth: width, offsetHeight: height } = tip;
	const isRight = x + ASIDE + width <= innerWidth - EDGE;
	const isBelow = y + BELOW + height <= innerHeight - EDGE;
	tip.style.setProperty('left', `${Math.max(EDGE, isRight ? x + ASIDE : x - ASIDE - width)}px`);
	tip.style.setProperty('top', `${Math.max(EDGE, isBelow ? y + BELOW : y - BELOW - height)}px`);
}

export function stripHover(canvas, shown) {
	const tip = el('div', { class: 'heat-tip', popover: 'manual', hidden: true });
	const hide = () => {
		tip.hidden = true;
		if (isOpen(tip)) tip.hidePopover();
	};

	/* Gives back what it says. */
	function tell(cell) {
		if (!cell) {
			hide();
			return '';
		}
		replace(tip, cellWords(cell, shown().sheet));
		tip.hidden = false;
		if (tip.isConnected && !isOpen(tip)) tip.showPopover?.();
		const { left, top } = canvas.getBoundingClientRect();
		placeTip(tip, { x: left + cell.x, y: top + cell.y });
		return tip.textContent;
	}

	const show = (event) => void tell(cellAt(event, canvas, shown()));
	return Object.assign(el('div', { class: 'heat-place', onpointerenter: show, onpointermove: show,
		onpointerleave: hide }, canvas, tip), { tell, hide });
}
