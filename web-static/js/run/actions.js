/* Actions of users on a run. Each dialog says what happens then; Undo restores what was deleted. */

import { addressOf, hrefOf } from '../address.js';
import { ask } from '../api.js';
import { serverNow } from '../base/clock.js';
import { el } from '../base/dom.js';
import { duration } from '../base/format.js';
import { nameOf } from '../base/slot.js';
import { move } from '../list/model/run_actions.js';
import { tagChanges, tagsOf } from '../list/model/run_edit.js';
import { askMove } from '../list/move_dialog.js';
import { isRestorable, restorable } from '../projects/restorable.js';
import { go, reopen, rest } from '../router.js';
import { stateWord, text as common } from '../text/common.js';
import { text } from '../text/run_dialogs.js';
import { toast } from '../ui/controls.js';
import { isDone } from '../ui/form.js';
import { requestDialog } from '../ui/form_dialog.js';

const words = text.runActions;
const REASON_MAX = 500;

function line(name, value, props) {
	const input = el('input', { type: 'text', autocomplete: 'off', ...props });
	input.value = value;
	return [input, el('label', { class: 'labelled' }, name, input)];
}

export function stopRun(data) {
	const [reason, field] = line(words.reason, '', { maxlength: REASON_MAX });
	requestDialog(words.stopTitle, [el('p', {}, words.stopHow(nameOf(data.run))), field], {
		go: words.stop, look: 'danger',
		send: () => ask('POST', `${data.path}/stop`, reason.value ? { reason: reason.value } : {}),
		done: (run) => data.takeRun(run),
	});
}

export function rename(data) {
	const [name, field] = line(words.name, data.run.display_name, { maxlength: 256 });
	requestDialog(words.renameTitle, field, {
		go: words.save,
		send: () => ask('PATCH', data.path, { display_name: name.value || null }),
		done: (run) => data.takeRun(run),
	});
	name.select();
}

export function editTags(data) {
	const area = el('textarea', { rows: 6, 'aria-describedby': 'tags-how' });
	const before = data.run.tags;
	area.value = before.join('\n');
	requestDialog(words.tagsTitle, [el('label', { class: 'labelled' }, words.tags, area), el('p', { class: 'muted', id: 'tags-how' }, words.tagsHow)], {
		go: words.save,
		send: () => ask('PATCH', data.path, tagChanges(before, tagsOf(area.value))),
		done: (run) => data.takeRun(run),
	});
}

/* A writer that is lost and will not come back. */
export function endWriter(data, writer) {
	const isPrimary = writer.role === 'primary';
	const [reason, field] = line(words.why, '', { required: true, maxlength: REASON_MAX });
	const state = el('select', {}, words.endStates.map((name) => el('option', { value: name }, name)));
	const silent = duration((serverNow() - Date.parse(writer.heard_at)) / 1000);
	requestDialog(words.endWriterTitle(writer.label), [el('p', {}, words.endWriterHow(silent)),
		isPrimary && [el('p', {}, words.endPrimaryHow), el('label', { class: 'labelled' }, words.endsAs, state)], field], {
		go: words.endWriter, look: 'danger',
		send: () => ask('POST', `${data.path}/writers/${writer.number}/end`,
			{ reason: reason.value, ...(isPrimary && { state: state.value }) }),
		done: (run) => data.takeRun(run),
	});
}

/* Notes are edited in place. */
export function showNotes(data) {
	const { entity, project, run } = data.address;
	const edit = document.querySelector('[data-key="notes-edit"]');
	if (edit) edit.click();
	else go(hrefOf(entity, project, 'runs', run, 'overview')).then?.(() =>
		document.querySelector('[data-key="notes-edit"]')?.click());
}

/* Runs an action that takes the run from its address. Reading pauses until it ends, and resumes if the run stays. */
async function leaving(act, hasLeft) {
	const isHere = await rest();
	const outcome = await act();
	if (!hasLeft(outcome) && isHere()) reopen();
	return outcome;
}

/* Dialogs can be closed while a busy server is asked, and one goes on: where one is then, nothing is taken away. */
function isAt({ entity, project, run }) {
	const here = addressOf(location.pathname);
	return here.entity === entity && here.project === project && here.run === run;
}

export function deleteRun(data) {
	const { entity, project, run } = data.address;
	const name = nameOf(data.run);
	async function restore() {
		const answer = await ask('POST', `${data.path}/restore`);
		if (answer.status === 200) go(hrefOf(entity, project, 'runs', run, 'overview'));
		else toast(common.fault.of(answer));
	}
	const how = [words.removeHow(name), restorable(data.project, project)];
	requestDialog(words.removeTitle, how.map((line) => el('p', {}, line)), {
		go: words.remove, look: 'danger',
		send: () => leaving(() => ask('DELETE', data.path), isDone),
		done: () => {
			if (isAt(data.address)) go(hrefOf(entity, project));
			toast(words.removed(name), isRestorable(data.project) && { label: words.undo, onpick: restore });
		},
	});
}

/* It is shown where it is now. */
export function moveRun(data) {
	const addressOfRun = ({ entity, project, id }) => ({ entity, project, run: id });
	const show = ([run]) => go(hrefOf(run.entity, run.project, 'runs', run.id, 'overview'));
	const moved = (runs, to) => isAt(addressOfRun(runs[0]))
		? leaving(() => move(runs, to), ({ done }) => done.length) : move(runs, to);
	askMove([data.run], { move: moved, onmoved: (runs) => isAt(data.address) && show(runs), oncameback: show });
}

/* One more line among the states, never an overwrite. */
export function correctState(data) {
	const chosen = el('select', {},
		words.states.filter((state) => state !== data.run.state).map((state) => el('option', { value: state }, stateWord(state))));
	const [reason, field] = line(words.why, '', { required: true, maxlength: REASON_MAX });
	requestDialog(words.correctTitle, [el('p', {}, words.correctHow(stateWord(data.run.state))), el('label', { class: 'labelled' }, words.newState, chosen), field], {
		go: words.correct,
		send: () => ask('POST', `${data.path}/states`, { state: chosen.value, reason: reason.value }),
		done: (run) => data.takeRun(run),
	});
}
