/* Deleting a project: what goes is counted, and its name is asked for. */

import { apiPath, hrefOf } from '../address.js';
import { ask } from '../api.js';
import { el, field } from '../base/dom.js';
import { bytes } from '../base/format.js';
import { isRestorable, restorable } from '../projects/restorable.js';
import { go } from '../router.js';
import { text as common } from '../text/common.js';
import { text } from '../text/project_settings.js';
import { button, toast } from '../ui/controls.js';
import { requestDialog } from '../ui/form_dialog.js';
import { restoreProject } from './deleted_projects.js';
import { settingsCard } from './settings.js';

const words = text.deleteProject;

function askSure(project, what) {
	const { entity, name } = project;
	const typed = el('input', { id: 'project-name', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
	const lines = [what, `${restorable(project, entity)} ${words.how}`].map((line) => el('p', {}, line));
	requestDialog(words.title(name), [lines, field(words.sure(name), typed)], {
		go: words.go, look: 'danger',
		canSend: () => typed.value === name,
		send: () => ask('DELETE', `${apiPath(entity, name)}?confirm=${encodeURIComponent(name)}`),
		done: () => {
			go(hrefOf(entity));
			toast(words.done(name), isRestorable(project)
				&& { label: words.undo, onpick: () => restoreProject(entity, name) });
		},
	});
}

/* The numbers are of now, not of when the page was opened. */
async function begin({ entity, name }) {
	const path = apiPath(entity, name);
	const [what, project] = await Promise.all([ask('DELETE', `${path}?dry_run=true`), ask('GET', path)]);
	const failed = [what, project].find(({ status }) => status !== 200);
	if (failed) return toast(common.fault.of(failed));
	askSure(project.body, words.goes(what.body, bytes(what.body.bytes)));
}

export function deleteCard(project) {
	const card = settingsCard(words.head, el('p', {}, words.short(project.name)),
		button(words.open, { look: 'danger', onclick: () => begin(project) }));
	card.classList.add('dangerous');
	return card;
}
