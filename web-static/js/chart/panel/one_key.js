/* One key, of more than a list has room for. */

import { text } from '../../text/common.js';
import { dialog } from '../../ui/dialog.js';
import { keyPicker } from '../../ui/key_picker.js';

export function pickKey(keys, onpick) {
	const picker = keyPicker({ keys, most: 1, onchange([key]) {
		card.close();
		onpick(key);
	} });
	const card = dialog(text.keyPicker.keys, picker.node, {});
	picker.input.focus();
}
