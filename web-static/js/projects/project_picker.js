/* Picks one of the projects that the user may write in, by letters of its name. */

import { ask, askAll } from '../api.js';
import { el, field, replace } from '../base/dom.js';
import { text } from '../text/run_dialogs.js';
import { best } from '../ui/fuzzy.js';
import { icon } from '../ui/icons.js';
import { makesFor } from './new_project.js';

const words = text.moveRun;
const SHOWN = 6;

/* [{label, entity, name}], or null where they could not be read. Admins of the server write everywhere. */
async function readProjects() {
	const [viewer, projects] = await Promise.all([ask('GET', 'viewer'), askAll('projects')]);
	if (viewer.status !== 200 || projects.status !== 200) return null;
	const mine = makesFor(viewer.body);
	return projects.body.items.filter(({ entity }) => viewer.body.admin || mine.includes(entity))
		.map(({ entity, name }) => ({ label: `${entity}/${name}`, entity, name }));
}

/* {node, picked() -> {entity, name} or undefined, start()}; isFit says of a project whether it may be picked. */
export function projectPicker({ isFit, onchange }) {
	const list = el('div', { class: 'jump-list', role: 'listbox', id: 'to-projects', 'aria-label': words.projects });
	const input = el('input',
		{ id: 'to-project', type: 'search', role: 'combobox', autocomplete: 'off', spellcheck: 'false',
		'aria-expanded': 'true',
		'aria-controls': 'to-projects', 'aria-autocomplete': 'list', oninput: look, onkeydown: press });
	let projects = [];
	let items = [];
	let chosen = 0;
	let said = words.reading;

	const typed = () => input.value.trim();
	const picked = () => items.find(({ label }) => label === typed());

	function option(item, at) {
		return el('div', { role: 'option', id: `to-${at}`, 'aria-selected': String(at === chosen),
			onclick: () => pick(item) },
			icon('columns'), el('span', { class: 'grow clip' }, el('bdi', {}, item.label)));
	}

	function draw() {
		replace(list, items.length ? items.map(option) : el('p', { class: 'muted' }, said));
		if (items.length) input.setAttribute('aria-activedescendant', `to-${chosen}`);
		else input.removeAttribute('aria-activedescendant');
	}

	function look() {
		items = best(typed(), projects, SHOWN);
		chosen = 0;
		draw();
		onchange();
	}

	function pick(item) {
		input.value = item.label;
		look();
		input.focus();
	}

	/* Enter takes what is marked; if that is in the field already, it sends the form. */
	function press(event) {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (!items.length || !step && (event.key !== 'Enter' || picked())) return;
		event.preventDefault();
		if (!step) return pick(items[chosen]);
		chosen = (chosen + step + items.length) % items.length;
		draw();
	}

	draw();
	return {
		node: el('div', {}, field(words.to, input), list),
		picked,
		async start() {
			const all = await readProjects();
			projects = (all || []).filter(isFit);
			said = all ? words.none : words.notRead;
			look();
		},
	};
}
