/* One key, of more than a list has room for. */

import { dialog } from '../parts/dialog.js';
import { keyPicker } from '../parts/key_picker.js';
import { text } from '../text.js';

export function pickKey(keys, onpick) {
	const picker = keyPicker({ keys, most: 1, onchange([key]) {
		card.close();
		onpick(key);
	} });
	const card = dialog(text.panels.keys, picker.node, {});
	picker.input.focus();
}
