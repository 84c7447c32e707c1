/* Teams of this server, for its admins: created here; each has its members and quota on a page of its own. */

import { hrefOf } from '../address.js';
import { ask, askAll } from '../api.js';
import { el, field } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { go } from '../router.js';
import { adminTabs, listTable, settingsCard, settingsPage } from '../settings/settings.js';
import { nameFault } from '../settings/user_card.js';
import { text } from '../text/people.js';
import { button } from '../ui/controls.js';
import { formDialog } from '../ui/form_dialog.js';

const words = text.teams;

const settingsOf = (name) => hrefOf(name, 'settings', 'members');

function row({ name, members, bytes: stored, limit_bytes: limit }) {
	return el('tr', {},
		el('th', { scope: 'row', title: name }, el('a', { href: hrefOf(name) }, name)),
		el('td', {}, count(members)),
		el('td', {}, bytes(stored)),
		el('td', {}, limit === null ? words.noLimit : bytes(limit)),
		el('td', {}, el('a', { class: 'btn small', href: settingsOf(name), 'aria-label': words.manageOf(name) }, words.manage)));
}

function addTeam() {
	const name = el('input', { id: 'team-name', maxlength: 64, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
	const typed = () => name.value.trim();
	formDialog(words.add, [field(words.name, name), el('p', { class: 'hint' }, words.nameHow)], {
		go: words.go,
		canSend: () => typed() !== '',
		onsend: async () => nameFault(await ask('POST', 'entities', { name: typed() })),
		ondone: () => go(settingsOf(typed())),
	});
}

export async function teamsPage() {
	const viewer = await ask('GET', 'viewer');
	if (viewer.status !== 200) return { answer: viewer };
	if (!viewer.body.admin) return { answer: { status: 403, body: { detail: text.users.onlyAdmins } } };
	const answer = await askAll('entities?kind=team');
	if (answer.status !== 200) return { answer };
	const { items } = answer.body;
	return {
		node: settingsPage(adminTabs('teams'),
			el('div', { class: 'page-head' }, el('h1', {}, words.head),
				button(words.add, { name: 'plus', look: 'primary', onclick: addTeam })),
			settingsCard(words.list, el('p', { class: 'hint' }, words.how), el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.list },
				items.length ? listTable(words.columns, items.map(row)) : el('p', { class: 'soft' }, words.none)))),
		title: words.head,
	};
}
