/* Makes a project before its first run, for users who want to see how to start that run. */

import { apiPath, hrefOf } from '../address.js';
import { ask } from '../api.js';
import { el, field } from '../base/dom.js';
import { go } from '../router.js';
import { text } from '../text/projects.js';
import { button } from '../ui/controls.js';
import { later } from '../ui/later.js';

const words = text.projects;
const MAKERS = ['member', 'admin'];
const dialogs = later(() => import('../ui/form_dialog.js'));

async function open(entities, chosen) {
	const entity = el('select', { id: 'project-entity' },
		entities.map((one) => el('option', { selected: one === chosen }, one)));
	const name = el('input', { id: 'project-name', maxlength: 128, autocomplete: 'off', spellcheck: 'false' });
	await dialogs('requestDialog', words.make, [field(words.owner, entity), field(words.name, name)], {
		go: words.go,
		canSend: () => Boolean(name.value.trim()),
		send: () => ask('PUT', apiPath(entity.value, name.value.trim()), {}),
		done: (project) => go(hrefOf(project.entity, project.name)),
	});
	name.focus();
}

/* The users and teams for which the user may create projects. */
export function makesFor(viewer) {
	return viewer.entities.filter(({ role }) => MAKERS.includes(role)).map(({ name }) => name);
}

export function newProject(entities, chosen) {
	return button(words.make, { name: 'plus', onclick: () => open(entities, chosen) });
}
