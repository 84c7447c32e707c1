/* The dialog with the keyboard shortcuts of this page (?), and the switch for single keys. */

import { el } from '../base/dom.js';
import { keyMap, singleKeysAreOn, switchSingleKeys } from '../base/keys.js';
import { text } from '../text/frame.js';
import { toggle } from '../ui/controls.js';
import { dialog } from '../ui/dialog.js';

const words = text.keyMap;

export function openKeyMap() {
	const rows = keyMap().map(({ key, label }) => el('div', {}, el('dt', {}, label),
		el('dd', {}, key.split(' ').map((one) => el('kbd', {}, one)))));
	dialog(words.head, [
		el('dl', { class: 'key-map' }, rows),
		toggle(words.single, singleKeysAreOn(), switchSingleKeys),
		el('p', { class: 'muted' }, words.always),
	], { look: 'wide' });
}
