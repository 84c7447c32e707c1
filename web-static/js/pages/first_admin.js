/* Shown at every address while the server has no user: with the token in its log the first one is created. */

import { el } from '../base/dom.js';
import { entryForm, nameField } from '../frame/entry_form.js';
import { text } from '../text/sign_in.js';

const words = text.firstAdmin;
const PASSWORD_LEAST = 8;

/* Signed in, or another user was first: a name that is taken can still be changed. */
function ends({ status, body }) {
	return status === 201 || (status === 409 && !body.field);
}

export function firstAdminPage(done) {
	const form = entryForm({
		path: 'first-admin',
		inputs: {
			name: nameField(),
			password: el('input',
				{ id: 'password', type: 'password', autocomplete: 'new-password', required: true, minlength: PASSWORD_LEAST }),
			token: el('input', { id: 'token', class: 'mono', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false',
				required: true }),
		},
		labels: words,
		go: words.go,
		wrong: words.wrong,
		odd: { name: words.oddName },
		ends,
		done,
	});
	return {
		node: el('div', { class: 'cards narrow' }, el('section', { class: 'card roomy', 'aria-label': words.head },
			el('h1', {}, words.head),
			el('p', {}, words.why),
			el('div', { class: 'sign-in' }, form.node, el('div', { class: 'soft' },
				el('p', {}, words.where),
				el('pre', { class: 'lines', tabindex: 0 }, words.example),
				el('p', {}, words.byHand),
				el('pre', { class: 'lines', tabindex: 0 }, words.addUser))))),
		focus: form.focus,
		title: words.title,
	};
}
