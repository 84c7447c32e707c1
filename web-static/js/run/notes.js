/* Notes of a run, edited in place. They are markdown without raw HTML, shown by nodes alone. */

import { ask } from '../api.js';
import { el, replace } from '../dom.js';
import { button, card } from '../parts/controls.js';
import { markdownNodes } from '../parts/markdown_nodes.js';
import { text } from '../text.js';

const words = text.runNotes;

/* {node, update}; while somebody edits, nothing takes the text away. */
export function notesCard(data) {
	const body = el('div', { class: 'body notes', dir: 'auto' });
	const edit = button(words.edit, { look: 'plain small', onclick: begin, 'data-key': 'notes-edit' });
	const node = card(words.name, data.mayWrite && edit, body);
	let isEdited = false;
	let drawn = null;

	function update() {
		if (isEdited || drawn === data.run.notes) return;
		drawn = data.run.notes;
		replace(body, drawn.trim() ? markdownNodes(drawn) : el('p', { class: 'muted' }, words.none));
	}

	function end() {
		isEdited = false;
		drawn = null;
		edit.hidden = false;
		update();
		edit.focus();
	}

	function begin() {
		if (isEdited) return body.querySelector('textarea').focus();
		isEdited = true;
		edit.hidden = true;
		const area = el('textarea', { rows: 10, maxlength: 65536, 'aria-label': words.name, dir: 'auto' });
		const fault = el('p', { class: 'fault', role: 'alert' });
		area.value = data.run.notes;
		async function save() {
			const answer = await ask('PATCH', data.path, { notes: area.value });
			if (answer.status !== 200) return replace(fault, text.fault.of(answer));
			data.takeRun(answer.body);
			return area.isConnected ? end() : null;
		}
		area.addEventListener('keydown', (event) => {
			if (event.key === 'Escape') end();
			else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
		});
		replace(body, area, el('p', { class: 'muted' }, words.how), fault,
			el('div', { class: 'row' }, button(words.save, { look: 'primary', onclick: save }),
				button(words.cancel, { onclick: end })));
		return area.focus();
	}

	update();
	return { node, update };
}
