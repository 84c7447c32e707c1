/*
 * Copies a text. By plain http browsers hide the clipboard: then it stands selected in a dialog, to be copied by hand.
 */

import { el } from '../dom.js';
import { text } from '../text.js';
import { dialog } from './dialog.js';
import { toast } from './toast.js';

const words = text.copying;

function byHand(value) {
	const rows = Math.min(12, value.split('\n').length + 1);
	const field = el('textarea', { class: 'copied mono', readonly: true, rows, 'aria-label': words.byHand }, value);
	dialog(words.byHand, field);
	field.select();
}

/* Whether it went to the clipboard. */
export async function toClipboard(value) {
	try {
		await navigator.clipboard.writeText(value);
		return true;
	} catch {
		return false;
	}
}

export async function copy(value, done = words.done) {
	if (await toClipboard(value)) toast(done);
	else byHand(value);
}
