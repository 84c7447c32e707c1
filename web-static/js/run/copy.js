/* Copies a text. By plain http browsers hide the clipboard: then it stands selected in a dialog, to be copied by hand. */

import { el } from '../dom.js';
import { dialog, toast } from '../parts/controls.js';
import { text } from '../text.js';

const words = text.copying;

function byHand(value) {
	const field = el('textarea', { class: 'copied mono', readonly: true, rows: Math.min(12, value.split('\n').length + 1), 'aria-label': words.byHand }, value);
	dialog(words.byHand, field);
	field.select();
}

export async function copy(value) {
	try {
		await navigator.clipboard.writeText(value);
		toast(words.done);
	} catch {
		byHand(value);
	}
}
