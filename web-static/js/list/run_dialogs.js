/* Dialogs that open before a run is changed: its name, tags, notes; and before it is stopped or deleted. */

import { el, field } from '../base/dom.js';
import { nameOf } from '../base/slot.js';
import { restorableLine } from '../projects/restorable.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { formDialog } from '../ui/form_dialog.js';
import { askEdited } from './edit_conflict.js';
import { tagsOf } from './model/run_edit.js';

const words = text.workspace;

export function askName(run, onsend) {
	const input = el('input', { id: 'run-name', value: nameOf(run), maxlength: 256, autocomplete: 'off' });
	formDialog(words.renameHead, field(words.renameLabel, input), { onsend: () => onsend(input.value.trim()) });
	input.select();
}

export function askTags(runs, onsend) {
	const isOne = runs.length === 1;
	const input = el('textarea', { id: 'run-tags', rows: 6, maxlength: 8192 });
	input.value = isOne ? runs[0].tags.join('\n') : '';
	formDialog(words.tagsHead, field(isOne ? words.tagsLabel : words.addTags, input),
		{ onsend: () => onsend(tagsOf(input.value)) });
}

/* Offers the present group if all runs are in the same one. */
export function askGroup(runs, onsend) {
	const names = new Set(runs.map(({ group }) => group));
	const input = el('input',
		{ id: 'run-group', value: names.size === 1 ? runs[0].group : '', maxlength: 256, autocomplete: 'off' });
	formDialog(words.groupOfHead(runs.length), field(words.groupOfLabel, input), { onsend: () => onsend(input.value.trim()) });
	input.select();
}

/* send(notes, before) gives {fault} in words, or what was found of somebody else, as of editRun(). */
export function askNotes(run, send) {
	const input = el('textarea', { id: 'run-notes', rows: 8, maxlength: 65536 });
	let before = run;
	input.value = run.notes;

	async function onsend() {
		const { fault, ...found } = await send(input.value, before);
		if (!found.theirs) return fault;
		askEdited(found, { notes: input.value }, {
			overwrite() {
				before = found.theirs;
				card.node.querySelector('form').requestSubmit();
			},
			take() {
				before = found.theirs;
				input.value = before.notes;
			},
		});
		return common.onConflict;
	}

	const card = formDialog(words.notesHead, field(words.notesLabel, input), { onsend, wide: true });
}

export function askStop(run, name, onsend) {
	formDialog(words.stopHead(name), el('p', {}, words.stopWhy), { go: words.act.stop, look: 'danger', onsend });
}

/* Asks for the project's name if there are several runs. onsend(a promise of whether it can be undone) */
export function askRemove(runs, name, onsend) {
	const project = runs[0].project;
	const input = el('input', { id: 'remove-sure', autocomplete: 'off', spellcheck: 'false' });
	const isOne = runs.length === 1;
	const { line, canUndo } = restorableLine(runs[0]);
	formDialog(words.removeHead(runs.length, name),
		[el('p', {}, words.removeWhy), line, !isOne && field(words.removeSure(project), input)],
		{ go: words.act.remove, look: 'danger', onsend: () => onsend(canUndo), canSend: () => isOne || input.value === project });
}
