/*
 * The settings of a run: its name, tags, group, visibility and notes, its total steps, its project, and its deletion.
 */

import { hrefOf } from '../address.js';
import { ask } from '../api.js';
import { el } from '../base/dom.js';
import { duration } from '../base/format.js';
import { whyNotMoved } from '../list/model/movable.js';
import { editRun, tagChanges, tagsOf } from '../list/model/run_edit.js';
import { deleteRun, moveRun } from '../run/actions.js';
import { select, settingsCard, settingsPage } from '../settings/settings.js';
import { text as common } from '../text/common.js';
import { text } from '../text/project_settings.js';
import { button } from '../ui/controls.js';
import { form, formField, isDone, refusal } from '../ui/form.js';
import { later } from '../ui/later.js';

const words = text.runSettings;
const conflict = later(() => import('../list/edit_conflict.js'));
const TOTAL = 'total_steps'; /* of the config, where its end is found (run/progress.js) */

function line(id, value, maxlength) {
	return el('input', { id: `run-${id}`, autocomplete: 'off', maxlength, value });
}

function lines(id, value, rows) {
	return el('textarea', { id: `run-${id}`, rows }, value);
}

function whole(id, value) {
	return el('input', { id: `run-${id}`, inputmode: 'numeric', autocomplete: 'off', value: value || '' });
}

/* Nothing is null; what is no number goes as it is, for the server names the field. */
function numberIn(control) {
	const typed = control.value.trim();
	return /^\d{1,15}$/.test(typed) ? Number(typed) : typed || null;
}

/* name: as the server calls it; `read` gives its value. */
function fieldsOf(run) {
	const texts = (control) => control.value.trim();
	const of = (name, control, read,
		more) => ({ ...formField(name, words[name], control, more), read: () => read(control) });
	return [
		of('display_name', line('name', run.display_name, 256), (control) => texts(control) || null),
		of('tags', lines('tags', run.tags.join('\n'), 3), (control) => tagsOf(control.value), { hint: words.tagsHow }),
		of('group', line('group', run.group, 128), texts),
		of('job_type', line('job-type', run.job_type, 64), texts),
		of('visibility', select('run-visibility', words.visibilities, run.visibility), texts),
		of('expected_writers', whole('expected', run.expected_writers), numberIn,
			{ hint: words.expectedHow, wrong: words.expectedWrong }),
		of('notes', lines('notes', run.notes, 6), (control) => control.value, { hint: words.notesHow }),
	];
}

/* Only what was changed is sent: what another user, or the program, has changed stays. */
function changes(before, fields) {
	return Object.fromEntries(fields.map(({ name, read }) => [name, read()])
		.filter(([name, value]) => JSON.stringify(value) !== before.get(name)));
}

function readAll(fields) {
	return new Map(fields.map(({ name, read }) => [name, JSON.stringify(read())]));
}

function aboutCard(data) {
	const fields = fieldsOf(data.run);
	let before = readAll(fields);
	let base = data.run; /* as the form shows it, where it was not edited */

	function know(run, names) {
		base = { ...base, ...Object.fromEntries(names.map((name) => [name, run[name]])) };
	}

	/* Puts the values of another user's change into the form. */
	function take({ theirs, names }) {
		const shown = new Map(fieldsOf(theirs).map((field) => [field.name, field.control.value]));
		for (const { name, control, read } of fields.filter((field) => names.includes(field.name))) {
			control.value = shown.get(name);
			before.set(name, JSON.stringify(read()));
		}
		know(theirs, names);
	}

	async function send() {
		const { tags, ...wanted } = changes(before, fields);
		const { answer, ...found } = await editRun(data.path, wanted, base, tags && tagChanges(base.tags, tags));
		if (answer && isDone(answer)) know({ ...answer.body, tags: tags ?? base.tags }, [...Object.keys(wanted), 'tags']);
		if (answer) return answer;
		conflict('askEdited', found, wanted, {
			overwrite() {
				know(found.theirs, found.names);
				node.querySelector('form').requestSubmit();
			},
			take: () => take(found),
		});
		return refusal(found.names[0], common.onConflict);
	}

	const node = settingsCard(words.about, form({
		id: 'run-form', go: common.form.save, isRead: !data.mayWrite, fields, body: fields.map(({ node: one }) => one), send,
		ondone(run) {
			before = readAll(fields);
			data.takeRun(run);
		},
	}));
	return node;
}

/* If the config has the total under another key, the form names that key and is read-only. */
function finishCard(data) {
	const { total } = data;
	const isOther = Boolean(total && total.key !== TOTAL);
	const steps = formField(TOTAL, words.total, whole('total', total?.value),
		{ hint: isOther ? words.totalOf(total.key) : words.totalHow,
		wrong: words.totalWrong });
	return settingsCard(words.finish, form({
		id: 'run-total-form', go: common.form.save, isRead: !data.mayWrite || isOther, fields: [steps], body: steps.node,
		send() {
			const value = numberIn(steps.control);
			if (typeof value === 'string' || value === 0) return { status: 400, body: { field: TOTAL } };
			return ask('PATCH', `${data.path}/config`, { [TOTAL]: value });
		},
		ondone: () => data.mark(['config']),
	}));
}

function limitCard({ address: { entity, project }, limit }) {
	return settingsCard(words.limit, el('p', {}, words.limitHow(duration(limit)), ' ',
		el('a', { href: hrefOf(entity, project, 'settings') }, words.toProject(project))));
}

function endCard(data) {
	const why = whyNotMoved(data.run);
	const grace = data.project?.grace_s;
	const card = settingsCard(words.end, grace > 0 && el('p', { class: 'hint' }, words.endHow(duration(grace))), el('div', { class: 'row' },
		button(common.runMenu.move, { onclick: () => moveRun(data), disabled: Boolean(why), title: why || null }),
		button(words.remove, { look: 'danger', onclick: () => deleteRun(data) })));
	card.classList.add('dangerous');
	return card;
}

export function settingsTab(address, { run: data }) {
	return {
		node: settingsPage(!data.mayWrite && el('p', { class: 'soft' }, words.onlyRead), aboutCard(data), finishCard(data),
			limitCard(data), data.mayWrite && endCard(data)),
	};
}
