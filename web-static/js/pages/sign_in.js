/* Name and password. Calls `done` when the server has let them in. */

import { ask } from '../api.js';
import { el, field } from '../dom.js';
import { text } from '../text.js';

const words = text.signIn;

function faultOf(answer) {
	if (answer.status === 401) return words.wrong;
	if (answer.status === 403) return words.foreign;
	if (answer.status === 429) return words.often(answer.wait);
	if (answer.status === 0) return text.fault.away;
	return text.fault.other(answer.status, answer.body?.detail);
}

function hint(hasUsers) {
	return el('div', { class: 'soft' },
		el('p', {}, hasUsers ? words.noPassword : words.nobody),
		el('pre', { class: 'lines', tabindex: 0 }, hasUsers ? words.setPassword : words.addUser));
}

/* {node, focus}: what stands on a card. */
export function signInForm(hasUsers, done) {
	const name = el('input', { id: 'name', autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false',
		required: true, maxlength: 64 });
	const password = el('input', { id: 'password', type: 'password', autocomplete: 'current-password', required: true });
	const fault = el('p', { class: 'fault', role: 'alert' });
	const go = el('button', { class: 'btn primary' }, words.go);

	async function submit(event) {
		event.preventDefault();
		fault.textContent = '';
		go.disabled = true;
		const answer = await ask('POST', 'session', { name: name.value, password: password.value });
		go.disabled = false;
		if (answer.status === 200) return done();
		fault.textContent = faultOf(answer);
		password.select();
		password.focus();
	}

	return {
		node: el('div', { class: 'sign-in' },
			el('form', { onsubmit: submit }, field(words.name, name), field(words.password, password), fault, go),
			hint(hasUsers)),
		focus: name,
	};
}

export function signInPage(hasUsers, done) {
	const form = signInForm(hasUsers, done);
	return {
		node: el('div', { class: 'cards narrow' }, el('section', { class: 'card roomy', 'aria-label': words.head },
			el('h1', {}, words.head), form.node)),
		focus: form.focus,
		title: words.title,
	};
}
