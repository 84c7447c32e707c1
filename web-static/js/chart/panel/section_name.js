/* Asks for the name of a section of panels. */

import { el, field } from '../../base/dom.js';
import { text } from '../../text/panels.js';
import { formDialog } from '../../ui/form_dialog.js';

const words = text.panels;

export function askSectionName(title, onname) {
	const input = el('input', { id: 'section-title', value: title, maxlength: 128, autocomplete: 'off' });
	formDialog(words.renameHead, field(words.sectionTitle, input), { onsend: () => onname(input.value.trim()) });
	input.select();
}
