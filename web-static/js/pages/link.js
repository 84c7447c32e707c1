/* The page that a one-time link leads to: an invited person makes their user, or a user sets a new password. */

import { hrefOf } from '../address.js';
import { ask } from '../api.js';
import { el } from '../base/dom.js';
import { localMoment } from '../base/moments.js';
import { reopen } from '../router.js';
import { minutes } from '../text/amounts.js';
import { text } from '../text/people.js';
import { text as settings } from '../text/settings.js';
import { form, formField, refusal } from '../ui/form.js';

const words = text.link;

function card(head, ...body) {
	return el('div', { class: 'cards narrow settings' }, el('section', { class: 'card roomy', 'aria-label': head },
		el('h1', {}, head), body));
}

function invalidPage() {
	return {
		node: card(words.invalidHead, el('p', { role: 'alert' }, words.invalid),
			el('div', { class: 'row' }, el('a', { class: 'btn', href: hrefOf() }, words.signIn))),
		title: words.invalidHead,
	};
}

function nameField() {
	return formField('name', words.name, el('input', { id: 'name', autocomplete: 'username', autocapitalize: 'none',
		spellcheck: 'false', maxlength: 64 }), { hint: words.nameHow, wrong: text.oddName });
}

/* For what keeps passwords; nobody sees it. */
function hiddenName(user) {
	return el('input', { class: 'sr', autocomplete: 'username', value: user, readonly: true, tabindex: -1,
		'aria-hidden': 'true' });
}

function passwordField(name, label, told) {
	return formField(name, label, el('input', { id: name, type: 'password', autocomplete: 'new-password', maxlength: 1024 }), told);
}

function purpose({ kind, user, made_by: maker, team, role, admin }) {
	if (kind === 'password') return [words.passwordOf(user)];
	return [words.by(maker), team && words.team(settings.members.roleNames[role], team), admin && words.admin].filter(Boolean);
}

/* The error in words for people. */
function told(answer, field) {
	if (answer.status === 429) return refusal(field, words.often(minutes(answer.wait)));
	if (answer.status === 410) return { status: 410, body: { detail: words.invalid } };
	return answer;
}

function linkForm(token, link) {
	const isInvitation = link.kind === 'invitation';
	const name = isInvitation && nameField();
	const password = passwordField('password', words.password, { hint: words.passwordHow, wrong: words.passwordWrong });
	const again = passwordField('again', words.again);
	const fields = [name, password, again].filter(Boolean);

	async function send() {
		if (name && !name.control.value.trim()) return refusal(name.name);
		if (again.control.value !== password.control.value) return refusal(again.name, words.differ);
		const answer = await ask('POST', 'links/use', { token, password: password.control.value,
			...(name && { name: name.control.value.trim() }) });
		return told(answer, password.name);
	}

	/* With all that was known of whoever was signed in before gone. */
	function ondone() {
		location.replace(hrefOf());
		return words.done;
	}

	return {
		node: form({ id: 'link-form', go: words.go[link.kind], fields, send, ondone,
			body: [!name && hiddenName(link.user), fields.map(({ node }) => node)] }),
		focus: fields[0].control,
	};
}

async function pageOf(user) {
	const token = location.hash.slice(1);
	const answer = await ask('POST', 'links/read', { token });
	if ([400, 410].includes(answer.status)) return invalidPage();
	if (answer.status === 429) return { answer: { status: 429, body: { detail: words.often(minutes(answer.wait)) } } };
	if (answer.status !== 200) return { answer };
	const link = answer.body;
	const shown = linkForm(token, link);
	return {
		node: card(words.head[link.kind], purpose(link).map((line) => el('p', {}, line)),
			el('p', { class: 'hint' }, words.until(localMoment(link.ends_at))),
			user && user !== link.user && el('p', { class: 'soft' }, words.other(user)),
			shown.node),
		title: words.title[link.kind],
		focus: shown.focus,
	};
}

const MAIN = '#main'; /* where the link that skips the head leads */

/* Another link that is opened in the same window differs only after the #, so the browser does not load the page again. */
export async function linkPage(address, { user }) {
	const page = await pageOf(user);
	if (!page.node) return page;
	const changed = () => location.hash !== MAIN && reopen();
	addEventListener('hashchange', changed);
	return { ...page, stop: () => removeEventListener('hashchange', changed) };
}
