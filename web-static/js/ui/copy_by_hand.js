import { el } from '../base/dom.js';
import { text } from '../text/common.js';
import { dialog } from './dialog.js';

const words = text.copying;

/* The text stands selected in a dialog. */
export function copyByHand(value) {
	const rows = Math.min(12, value.split('\n').length + 1);
	const field = el('textarea', { class: 'copied mono', readonly: true, rows, 'aria-label': words.byHand }, value);
	dialog(words.byHand, field);
	field.select();
}
