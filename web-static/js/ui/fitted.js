/* Numbers in cells: the fullest form that a cell has room for, so that none is cut among its digits. */

import { el } from '../base/dom.js';

const FONT_PX = 12.5; /* of rows */
const SMALL = 11.5 / FONT_PX; /* of what stands beside a value */
const KNOWN_MOST = 2000;
const GAP = 6;
export const CUT = '…';

const widths = new Map(); /* digits are all as wide */
let pen = null;

export function textWidth(text) {
	const form = text.replace(/\d/g, '0');
	if (!pen) {
		pen = document.createElement('canvas').getContext('2d');
		pen.font = `${FONT_PX}px ${getComputedStyle(document.body).fontFamily}`;
	}
	if (widths.size > KNOWN_MOST) widths.clear();
	if (!widths.has(form)) widths.set(form, Math.ceil(pen.measureText(form).width));
	return widths.get(form);
}

/* forms: from the fullest on. */
export function fitted(forms, room) {
	return forms.find((form) => textWidth(form) <= room) ?? (forms.length > 1 ? CUT : forms[0]);
}

/* Returns the width of the small text next to a value; null: there is none. */
export function besideWidth(node) {
	return node ? Math.ceil(textWidth(node.textContent) * SMALL) + GAP : 0;
}

/* The form, and the change beside it, which is left out with a sign before the number is. */
export function fittedBeside(forms, change, room) {
	if (!change) return [fitted(forms, room), null];
	const text = fitted(forms, room - besideWidth(change));
	if (text !== CUT) return [text, change];
	const sign = el('span', { class: change.className, title: `${change.textContent}, ${change.title}` }, CUT);
	return [fitted(forms, room - textWidth(CUT) - GAP), sign];
}

/*
 * [a mean, what stands small behind it, how much of what is spare they take]; forms: such pairs, from the fullest on.
 * spare: room beside the cell, for a deviation that would be cut.
 */
export function fittedMean(forms, room, spare = 0) {
	const width = ([mean, more]) => textWidth(mean) + Math.ceil(textWidth(more) * SMALL);
	const fitting = (most) => forms.find((form) => width(form) <= most) ?? [CUT, ''];
	const isCut = ([mean, more]) => mean === CUT || more.endsWith(CUT);
	const within = fitting(room);
	const beyond = isCut(within) ? fitting(room + spare) : within;
	return isCut(beyond) ? [...within, 0] : [...beyond, Math.max(0, width(beyond) - room)];
}
