/*
 * Copies a text. By plain http browsers hide the clipboard: then it stands selected in a dialog, to be copied by hand.
 */

import { text } from '../text/common.js';
import { later } from './later.js';
import { toast } from './toast.js';

const words = text.copying;
const help = later(() => import('./copy_by_hand.js'));

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
	else help('copyByHand', value);
}
