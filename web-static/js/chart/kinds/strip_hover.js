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

export function stripHover(canvas, shown) {
	const tip = el('div', { class: 'heat-tip', hidden: true });

	/* Gives back what it says. */
	function tell(cell) {
		tip.hidden = !cell;
		if (!cell) return '';
		replace(tip, cellWords(cell, shown().sheet));
		const isRight = cell.x > canvas.clientWidth / 2;
		tip.style.setProperty('left', isRight ? 'auto' : `${cell.x + 12}px`);
		tip.style.setProperty('right', isRight ? `${canvas.clientWidth - cell.x + 12}px` : 'auto');
		tip.style.setProperty('top', `${cell.y + 14}px`);
		return tip.textContent;
	}

	const show = (event) => void tell(cellAt(event, canvas, shown()));
	const hide = () => { tip.hidden = true; };
	return Object.assign(el('div', { class: 'heat-place', onpointerenter: show, onpointermove: show,
		onpointerleave: hide }, canvas, tip), { tell, hide });
}
