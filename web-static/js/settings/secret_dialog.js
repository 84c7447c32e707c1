/* Shows a link or key that was just created, once, ready to be copied. */

import { el, field } from '../base/dom.js';
import { text } from '../text/people.js';
import { button } from '../ui/controls.js';
import { toClipboard } from '../ui/copy.js';
import { dialog } from '../ui/dialog.js';

const words = text.secret;

/* By plain http there is no clipboard: what is selected can be copied, by us or by hand. */
async function copy(input, pressed) {
	input.focus();
	input.select();
	const isDone = await toClipboard(input.value) || document.execCommand('copy');
	pressed.textContent = isDone ? words.copied : words.copyByHand;
}

export function secretDialog(title, label, value, how) {
	const shown = el('input', { id: 'secret', class: 'mono', readonly: true, value, spellcheck: 'false' });
	const go = button(words.copy, { look: 'primary', onclick: () => copy(shown, go) });
	dialog(title, [el('div', { class: 'row' }, field(label, shown), go), el('p', { class: 'hint', role: 'status' }, how)], { look: 'wide' });
	shown.focus();
	shown.select();
}
