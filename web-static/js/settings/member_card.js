/* Members of a team and their roles: seen by all of them, changed by its admins. */

import { hrefOf } from '../address.js';
import { ask, askAll } from '../api.js';
import { el, replace } from '../base/dom.js';
import { go } from '../router.js';
import { text as common } from '../text/common.js';
import { text } from '../text/settings.js';
import { button, menu, toast } from '../ui/controls.js';
import { form, formField, isDone, refusal } from '../ui/form.js';
import { requestDialog } from '../ui/form_dialog.js';
import { icon } from '../ui/icons.js';
import { ago } from '../ui/times.js';
import { listTable, select, settingsCard } from './settings.js';

const words = text.members;
const ROLES = Object.entries(words.roles);

function roleButton({ name, role }, onpick) {
	const shown = words.roleNames[role];
	const node = button([shown, icon('down')],
		{ look: 'small', 'data-of': name, 'aria-label': words.roleOf(name, shown) });
	return menu(node, () => ROLES.map(([one, label]) => (
		{ label, isChecked: one === role, onpick: () => onpick(name, one) })));
}

function removeButton({ name }, onpick) {
	return button(words.remove, { look: 'small danger', 'aria-label': words.removeOf(name), onclick: () => onpick(name) });
}

function row(member, user, change) {
	const { name, role, created_at: since } = member;
	return el('tr', {},
		el('th', { scope: 'row', title: name }, name, name === user && el('span', { class: 'muted' }, ` ${words.you}`)),
		el('td', {}, change ? roleButton(member, change.set) : words.roleNames[role]),
		el('td', {}, ago(since)),
		change && el('td', {}, removeButton(member, change.remove)));
}

function table(members, user, change) {
	return listTable([...words.columns, ...(change ? [''] : [])], members.map((member) => row(member, user, change)));
}

/* names: of users to offer. */
function addForm(pathOf, show, names = []) {
	const name = formField('user', words.name,
		el('input', { id: 'member-name', list: 'member-names', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', maxlength: 64 }),
		{ wrong: words.noUser });
	const role = formField('role', words.role, select('member-role', ROLES, 'member'));
	const typed = () => name.control.value.trim();
	return form({
		id: 'member-form', go: words.add, fields: [name, role],
		body: el('div', { class: 'row' }, name.node, role.node,
			el('datalist', { id: 'member-names' }, names.map((value) => el('option', { value })))),
		send: () => typed() ? ask('PUT', pathOf(typed()), { role: role.control.value }) : refusal(name.name),
		ondone() {
			const added = typed();
			name.control.value = '';
			name.control.focus();
			show();
			return words.added(added);
		},
	});
}

/* Returns the actions of an admin. show(name) reads the list again, and returns the focus to that member. */
function changesOf(pathOf, entity, user, show) {
	async function set(name, role) {
		const answer = await ask('PUT', pathOf(name), { role });
		if (!isDone(answer)) toast(common.fault.of(answer));
		show(name);
	}

	function removed(name) {
		toast(words.removed(name));
		if (name === user) go(hrefOf());
		else show();
	}

	function remove(name) {
		requestDialog(words.removeTitle(name), el('p', {}, name === user ? words.removeSelf(entity) : words.removeHow(entity)), {
			go: words.remove, look: 'danger', send: () => ask('DELETE', pathOf(name)), done: () => removed(name),
		});
	}

	return { set, remove };
}

function noTeamCard(name) {
	return settingsCard(words.title, el('p', { class: 'soft' }, words.noTeam(name)),
		el('pre', { class: 'lines', tabindex: 0 }, words.makeTeam));
}

/* The members of a team. If admins give up their own role, the card becomes read-only. */
export function memberCard({ path, entity, members: first, user, names }) {
	if (entity.kind === 'user') return noTeamCard(entity.name);
	const pathOf = (name) => `${path}/members/${encodeURIComponent(name)}`;
	const list = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.title });
	const foot = el('div');
	const change = changesOf(pathOf, entity.name, user, show);
	let shownRole = null;
	let turn = 0;

	function draw(members, role) {
		const isAdmin = role === 'admin';
		replace(list, table(members, user, isAdmin && change));
		if (role === shownRole) return;
		shownRole = role;
		replace(foot, isAdmin ? addForm(pathOf, show, names) : el('p', { class: 'soft' }, words.onlyAdmins(entity.name)));
	}

	async function show(name) {
		const mine = ++turn;
		const answers = await Promise.all([askAll(`${path}/members`), ask('GET', path)]);
		if (mine !== turn) return null;
		const failed = answers.find((answer) => !isDone(answer));
		if (failed) return toast(common.fault.of(failed));
		draw(answers[0].body.items, answers[1].body.role);
		return [...list.querySelectorAll('[data-of]')].find((node) => node.dataset.of === name)?.focus();
	}

	draw(first, entity.role);
	return settingsCard(words.title, list, foot);
}
