/* Numbers in cells: the fullest form that a cell has room for, so that none is cut among its digits. */

import { el } from '../base/dom.js';

const FONT_PX = 12.5; /* of rows */
const SMALL = 11.5 / FONT_PX; /* of the text next to a value */
const KNOWN_MOST = 2000;
const GAP = 6;
export const CUT = '…';

const widths = new Map(); /* digits are all as wide */
let pen = null;

function exactWidth(text) {
	const form = text.replace(/\d/g, '0');
	if (!pen) {
		pen = document.createElement('canvas').getContext('2d');
		pen.font = `${FONT_PX}px ${getComputedStyle(document.body).fontFamily}`;
	}
	if (widths.size > KNOWN_MOST) widths.clear();
	if (!widths.has(form)) widths.set(form, pen.measureText(form).width);
	return widths.get(form);
}

export const textWidth = (text) => Math.ceil(exactWidth(text));

/* Returns the width in em, rounded down: room for more letters than there are would cut those before them. */
export const emWidth = (text) => Math.max(0, Math.floor((exactWidth(text) - 1) / FONT_PX * 100) / 100);

/* forms: from the fullest on. */
export function fitted(forms, room) {
	return forms.find((form) => textWidth(form) <= room) ?? (forms.length > 1 ? CUT : forms[0]);
}

/* Returns the width of the small text next to a value; null: there is none. */
export function besideWidth(node) {
	return node ? smallWidth(node.textContent) + GAP : 0;
}

/* Returns the form and its change. If there is no room, the change is replaced by a sign first. */
export function fittedBeside(forms, change, room) {
	if (!change) return [fitted(forms, room), null];
	const text = fitted(forms, room - besideWidth(change));
	if (text !== CUT) return [text, change];
	const sign = el('span', { class: change.className, title: `${change.textContent}, ${change.title}` }, CUT);
	return [fitted(forms, room - textWidth(CUT) - GAP), sign];
}

export const smallWidth = (text) => Math.ceil(textWidth(text) * SMALL);

export const meanWidth = ([mean, more]) => textWidth(mean) + smallWidth(more);

/* Returns [a mean, its deviation in small text], the fullest of these pairs that fits. */
export function fittedMean(forms, room) {
	return forms.find((form) => meanWidth(form) <= room) ?? [CUT, ''];
}
