/* Dialogs that open before a run is changed: its name, tags, notes; and before it is stopped or deleted. */

import { el, field, replace } from '../base/dom.js';
import { bytes } from '../base/format.js';
import { nameOf } from '../base/slot.js';
import { restorableLine } from '../projects/restorable.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { formDialog } from '../ui/form_dialog.js';
import { askEdited } from './edit_conflict.js';
import { matching } from './model/known_keys.js';
import { tagsOf } from './model/run_edit.js';

const words = text.workspace;
const OFFERED = 12; /* tags */

export function askName(run, onsend) {
	const input = el('input', { id: 'run-name', value: nameOf(run), maxlength: 256, autocomplete: 'off' });
	formDialog(words.renameHead, field(words.renameLabel, input), { onsend: () => onsend(input.value.trim()) });
	input.select();
}

/* known(): a promise of the tags that runs of the project have, the most frequent first. */
export function askTags(runs, known, onsend) {
	const isOne = runs.length === 1;
	const input = el('textarea', { id: 'run-tags', rows: 4, maxlength: 8192, 'aria-describedby': 'run-tags-how' });
	input.value = isOne ? runs[0].tags.join('\n') : '';
	const card = formDialog(words.tagsHead,
		[field(isOne ? words.tagsLabel : words.addTags, input), el('p', { class: 'soft', id: 'run-tags-how' }, words.tagsHow)],
		{ onsend: () => onsend(tagsOf(input.value)) });
	const form = card.node.querySelector('form');
	input.addEventListener('keydown', (event) => {
		if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
		event.preventDefault();
		form.requestSubmit();
	});
	offerTags(form, input, known);
}

/* Tags of the project below the field: those that go on with the line that is typed, or all; a click adds one. */
async function offerTags(form, input, known) {
	const all = await known();
	const list = el('div', { class: 'tag-offers', role: 'group', 'aria-label': words.tagsKnown });

	function typed() {
		const line = input.value.slice(0, input.selectionStart).split('\n').at(-1).trim();
		return all.includes(line) ? '' : line;
	}

	function add(tag) {
		const lines = tagsOf(input.value).filter((line) => line !== typed());
		input.value = [...lines, tag, ''].join('\n');
		offer();
		input.focus();
	}

	function offer() {
		const there = tagsOf(input.value);
		const found = matching(all.filter((tag) => !there.includes(tag)), typed(), OFFERED);
		replace(list, found.map((tag) => el('button', { type: 'button', class: 'chip', 'aria-label': words.addTag(tag), onclick: () => add(tag) },
			el('bdi', { class: 'clip' }, tag))));
	}

	input.addEventListener('input', offer);
	form.append(list);
	offer();
}

/* Offers the present group if all runs are in the same one. */
export function askGroup(runs, onsend) {
	const names = new Set(runs.map(({ group }) => group));
	const input = el('input',
		{ id: 'run-group', value: names.size === 1 ? runs[0].group : '', maxlength: 256, autocomplete: 'off' });
	formDialog(words.groupOfHead(runs.length), field(words.groupOfLabel, input), { onsend: () => onsend(input.value.trim()) });
	input.select();
}

/* send(notes, before) gives {fault} in words, or what another user changed, as of editRun(). */
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

/*
 * One confirmation is enough where runs can be restored; else several are deleted after the project's name is typed.
 * onsend(a promise of whether it can be undone)
 */
export function askRemove(runs, name, onsend) {
	const { project } = runs[0];
	const input = el('input', { id: 'remove-sure', autocomplete: 'off', spellcheck: 'false' });
	const sure = field(words.removeSure(project), input);
	const { line, canUndo } = restorableLine(runs[0]);
	const size = runs.reduce((sum, run) => sum + (run.bytes || 0), 0);
	let isSure = runs.length === 1;
	sure.hidden = true;
	const card = formDialog(words.removeHead(runs.length, name), [el('p', {}, words.removeWhy, size > 0 && ` ${words.removeFrees(bytes(size))}`), line, sure],
		{ go: words.act.remove, look: 'danger', onsend: () => onsend(canUndo), canSend: () => isSure || input.value === project });
	canUndo.then((can) => {
		isSure ||= can;
		sure.hidden = isSure;
		card.node.querySelector('form').dispatchEvent(new Event('input'));
		(isSure ? card.node.querySelector('[type=submit]') : input).focus();
	});
}
