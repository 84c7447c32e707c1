/* The user's own account: who is signed in, how the page looks, and the password. */

import { hrefOf } from '../address.js';
import { ask } from '../api.js';
import { el } from '../base/dom.js';
import { chooseLook, chosenLook } from '../base/look.js';
import { sessionCard } from '../settings/session_card.js';
import { factList, ownTabs, settingsCard, settingsPage } from '../settings/settings.js';
import { text as frameText } from '../text/frame.js';
import { text } from '../text/account.js';
import { text as teamText } from '../text/settings.js';
import { text as signInText } from '../text/sign_in.js';
import { form, formField, refusal } from '../ui/form.js';
import { segmented, setSegment } from '../ui/segmented.js';

const words = text.profile;

function team({ name, role }) {
	const link = el('a', { href: hrefOf(name, 'settings', 'members') }, name);
	return el('li', {}, link, ` ${words.as(teamText.members.roleNames[role])}`);
}

function aboutCard(viewer) {
	const teams = viewer.entities.filter(({ kind }) => kind === 'team');
	return settingsCard(words.about, factList([
		[words.name, viewer.name],
		[words.rights, viewer.admin && el('a', { href: hrefOf('admin', 'server') }, words.isAdmin)],
		[words.runsGo, viewer.default_entity],
		[words.teams, teams.length ? el('ul', {}, teams.map(team)) : words.noTeams],
	]));
}

/* [name in the browser, label, choices, the first of them the standard]. */
const LOOKS = [['theme', words.theme, frameText.header.themes],
	['palette', words.palette, words.palettes], ['rows', words.rows, words.rowsChoices],
	['times', words.times, words.timesChoices]];

function lookChoice([name, label, choices]) {
	const [[standard]] = choices;
	const node = segmented(label, choices.map(([value, word]) => [value, word]), chosenLook(name, standard),
		(value) => chooseLook(name, value, standard));
	return { row: [label, node], draw: () => setSegment(node, chosenLook(name, standard)) };
}

function lookCard() {
	const choices = LOOKS.map(lookChoice);
	const ends = new AbortController();
	for (const event of ['look-chosen', 'storage']) {
		addEventListener(event, () => choices.forEach(({ draw }) => draw()), { signal: ends.signal });
	}
	return {
		node: settingsCard(words.look, factList(choices.map(({ row }) => row)), el('p', { class: 'hint' }, words.lookHow)),
		stop: () => ends.abort(),
	};
}

function passwordField(name, id, label, use, told) {
	return formField(name, label, el('input', { id, type: 'password', autocomplete: use, maxlength: 1024 }), told);
}

/* For password managers; it is not shown. */
function nameFor(user) {
	return el('input', { class: 'sr', autocomplete: 'username', value: user, readonly: true, tabindex: -1,
		'aria-hidden': 'true' });
}

function passwordCard(user) {
	const old = passwordField('old_password', 'old-password', words.old, 'current-password');
	const fresh = passwordField('new_password', 'new-password', words.fresh, 'new-password',
		{ hint: words.freshHow, wrong: words.freshWrong });
	const again = passwordField('again', 'again', words.again, 'new-password');
	const fields = [old, fresh, again];

	async function send() {
		const typed = { old_password: old.control.value, new_password: fresh.control.value };
		if (again.control.value !== typed.new_password) return refusal(again.name, words.differ);
		const answer = await ask('PUT', 'viewer/password', typed);
		return answer.status === 429 ? refusal(old.name, signInText.signIn.often(answer.wait)) : answer;
	}

	function ondone() {
		fields.forEach(({ control }) => {
			control.value = '';
		});
		return words.changed;
	}

	return settingsCard(words.password, form({ id: 'password-form', go: words.change, fields, send, ondone,
		body: [nameFor(user), fields.map(({ node }) => node)] }));
}

export async function profilePage(address, { user }) {
	const answer = await ask('GET', 'viewer');
	if (answer.status !== 200) return { answer };
	const look = lookCard();
	return {
		node: settingsPage(el('h1', {}, words.head), ownTabs('profile'),
			aboutCard(answer.body), look.node, sessionCard(), passwordCard(user)),
		title: words.head,
		stop: look.stop,
	};
}
