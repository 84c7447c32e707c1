/* Users of the server, each with what an admin can do. */

import { hrefOf } from '../address.js';
import { ask, askAll } from '../api.js';
import { el, field as labelled, replace, setText } from '../base/dom.js';
import { day } from '../base/moments.js';
import { text as common } from '../text/common.js';
import { text } from '../text/people.js';
import { field, iconButton, menu, toast } from '../ui/controls.js';
import { isDone } from '../ui/form.js';
import { formDialog, requestDialog } from '../ui/form_dialog.js';
import { ago } from '../ui/times.js';
import { passwordLink, showLink } from './link_card.js';
import { listTable, select, settingsCard } from './settings.js';
import { keysOf, showKey, userKeys } from './user_keys.js';

const words = text.users;

const pathOf = (name) => `users/${encodeURIComponent(name)}`;
const rightsOf = ({ admin, service }) => words.rights[service ? 'service' : admin ? 'admin' : 'user'];

function statusOf(user) {
	if (user.disabled_at) return el('span', { class: 'chip' }, words.disabled(day(user.disabled_at)));
	return user.service || user.has_password ? words.active : el('span', { class: 'muted' }, words.noPassword);
}

function teamLinks(teams) {
	return teams.map((team, at) => [at > 0 && ', ', el('a', { href: hrefOf(team, 'settings', 'members') }, team)]);
}

/* ---- adding ----------------------------------------------------------------------------------------- */

/* Gives the new user access: a key to a program, a link to a person. */
async function giveAccess({ name, service }) {
	const answer = service ? await ask('POST', keysOf(name), { name: text.addUser.firstKey, scope: 'write' })
		: await ask('POST', 'links', { user: name });
	if (!isDone(answer)) return toast(text.addUser.noSecret(name, common.fault.of(answer)));
	return service ? showKey(name, answer.body) : showLink(answer.body);
}

export function nameFault(answer) {
	const isOdd = answer.status === 400 && answer.body?.field === 'name';
	return isDone(answer) ? '' : isOdd ? text.oddName : common.fault.of(answer);
}

export function addUser(changed) {
	const form = text.addUser;
	const name = el('input', { id: 'user-name', maxlength: 64, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
	const kind = select('user-kind', form.kinds, 'user');
	let made = null;

	async function onsend() {
		const answer = await ask('POST', 'users', { name: name.value.trim(), admin: kind.value === 'admin',
			service: kind.value === 'service' });
		made = answer.body;
		return nameFault(answer);
	}

	formDialog(form.title, [labelled(form.name, name), el('p', { class: 'hint' }, form.nameHow), labelled(form.kind, kind)], {
		go: form.go,
		canSend: () => name.value.trim() !== '',
		onsend,
		ondone: () => giveAccess(made).then(changed),
	});
}

/* ---- changing --------------------------------------------------------------------------------------- */

function sure(title, how, look, change, { name, said, changed }) {
	requestDialog(title, el('p', {}, how), { ...look, send: () => ask('PATCH', pathOf(name), change), done() {
		toast(said(name));
		changed();
	} });
}

async function enable(name, changed) {
	const answer = await ask('PATCH', pathOf(name), { disabled: false });
	toast(isDone(answer) ? words.enabledNow(name) : common.fault.of(answer));
	changed();
}

function accessItem({ name, disabled_at: isDisabled }, why, changed) {
	if (isDisabled) return { label: words.enable, onpick: () => enable(name, changed) };
	return { label: words.disable, isDanger: true, why, onpick: () => sure(words.disableTitle(name), words.disableHow,
		{ go: words.disableGo, look: 'danger' }, { disabled: true }, { name, said: words.disabledNow, changed }) };
}

function rightsItem({ name, admin }, why, changed) {
	const of = { name, said: words.changed, changed };
	return admin ? { label: words.takeAdmin, why, onpick: () => sure(words.takeAdminTitle(name), words.takeAdminHow,
		{ go: words.takeAdminGo, look: 'danger' }, { admin: false }, of) }
		: { label: words.makeAdmin, onpick: () => sure(words.makeAdminTitle(name), words.makeAdminHow,
			{ go: words.makeAdminGo }, { admin: true }, of) };
}

function itemsOf(user, me, changed) {
	const notSelf = user.name === me ? words.notSelf : undefined;
	return [
		!user.service && { label: words.link, why: user.disabled_at ? words.isDisabled : undefined,
			onpick: () => passwordLink(user.name, changed) },
		{ label: words.keys, onpick: () => userKeys(user, changed) },
		null,
		!user.service && rightsItem(user, notSelf, changed),
		accessItem(user, notSelf, changed),
	].filter((item) => item !== false);
}

/* ---- the list --------------------------------------------------------------------------------------- */

function row(user, me, changed) {
	const { name } = user;
	const actions = menu(iconButton('more', words.actionsOf(name), { 'data-of': name }), () => itemsOf(user, me, changed));
	return el('tr', {},
		el('th', { scope: 'row', title: name }, el('a', { href: hrefOf(name) }, name),
			name === me && el('span', { class: 'muted' }, ` ${words.you}`)),
		el('td', {}, rightsOf(user)),
		el('td', { class: 'wraps' }, teamLinks(user.teams)),
		el('td', {}, user.keys),
		el('td', {}, user.seen_at ? ago(user.seen_at) : words.never),
		el('td', {}, el('time', { datetime: user.created_at, title: user.created_at }, day(user.created_at))),
		el('td', {}, statusOf(user)),
		el('td', {}, actions));
}

function isFound({ name, teams }, sought) {
	return [name, ...teams].some((one) => one.toLowerCase().includes(sought));
}

/* {node, show()}: show() reads the list again. onchange() after each change. */
export function userCard({ users: first, me, onchange }) {
	const list = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.list });
	const count = el('span', { class: 'soft', role: 'status' });
	const filter = field('search', words.filter, { oninput: draw });
	const sought = () => filter.querySelector('input').value.trim().toLowerCase();
	let users = first;
	let turn = 0;

	function changed(name) {
		show(name);
		onchange();
	}

	function draw() {
		const found = users.filter((user) => isFound(user, sought()));
		setText(count, found.length === users.length ? words.count(users.length) : words.found(found.length, users.length));
		replace(list, found.length ? listTable(words.columns, found.map((user) => row(user, me, () => changed(user.name))))
			: el('p', { class: 'soft' }, words.none));
	}

	async function show(name) {
		const mine = ++turn;
		const answer = await askAll('users');
		if (mine !== turn) return null;
		if (!isDone(answer)) return toast(common.fault.of(answer));
		users = answer.body.items;
		draw();
		if (document.querySelector('dialog[open]')) return null;
		return [...list.querySelectorAll('[data-of]')].find((node) => node.dataset.of === name)?.focus();
	}

	draw();
	return { node: settingsCard(words.list, el('div', { class: 'row tools' }, filter, count), list), show };
}
