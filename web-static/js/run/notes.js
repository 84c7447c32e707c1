/* Notes of a run, edited in place. They are markdown without raw HTML, shown by nodes alone. */

import { el, replace, setText } from '../base/dom.js';
import { editRun } from '../list/model/run_edit.js';
import { text as common } from '../text/common.js';
import { text } from '../text/overview.js';
import { button, card } from '../ui/controls.js';
import { later } from '../ui/later.js';

const words = text.runNotes;
const conflict = later(() => import('../list/edit_conflict.js'));
const markdown = later(() => import('../ui/markdown_nodes.js'));

/* {node, update}; while the user edits, the text is kept, and changes by others are reported. */
export function notesCard(data) {
	const body = el('div', { class: 'body notes', dir: 'auto' });
	const edit = button(words.edit, { look: 'plain small', onclick: begin, 'data-key': 'notes-edit' });
	const node = card(words.name, data.mayWrite && edit, body);
	const news = el('p', { class: 'soft', role: 'status' });
	let isEdited = false;
	let before = null; /* the run as it was when the editing began */
	let drawn = null;

	function update() {
		if (isEdited) setText(news, data.run.notes === before.notes ? '' : words.news);
		if (isEdited || drawn === data.run.notes) return;
		drawn = data.run.notes;
		show(drawn);
	}

	/* Draws them as soon as Markdown is loaded; if they have changed by then, or are edited, others are shown. */
	function show(notes) {
		if (!notes.trim()) return void replace(body, el('p', { class: 'muted' }, words.none));
		markdown.each(({ markdownNodes }) => drawn === notes && !isEdited && replace(body, markdownNodes(notes)));
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
		let isBusy = false;
		before = data.run;
		area.value = before.notes;

		function take(run) {
			data.takeRun(run);
			if (area.isConnected) end();
		}

		function choose(found) {
			replace(fault, common.onConflict);
			conflict('askEdited', found, { notes: area.value }, {
				overwrite() {
					before = found.theirs;
					save();
				},
				take: () => take(found.theirs),
			});
		}

		async function save() {
			if (isBusy) return;
			isBusy = true;
			const { answer, ...found } = await editRun(data.path, { notes: area.value }, before);
			isBusy = false;
			if (!answer) choose(found);
			else if (answer.status === 200) take(answer.body);
			else replace(fault, common.fault.of(answer));
		}
		area.addEventListener('keydown', (event) => {
			if (event.key === 'Escape') end();
			else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
		});
		setText(news, '');
		replace(body, area, el('p', { class: 'muted' }, words.how), news, fault,
			el('div', { class: 'row' }, button(words.save, { look: 'primary', onclick: save }),
				button(words.cancel, { onclick: end })));
		return area.focus();
	}

	update();
	return { node, update };
}
