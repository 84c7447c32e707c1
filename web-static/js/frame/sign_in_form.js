/* Name and password. Calls `done` when the server has let them in. */

import { el } from '../base/dom.js';
import { text } from '../text/sign_in.js';
import { entryForm, nameField } from './entry_form.js';

const words = text.signIn;

/* {node, focus}: the body of a card. */
export function signInForm(done) {
	const form = entryForm({
		path: 'session',
		inputs: {
			name: nameField(),
			password: el('input', { id: 'password', type: 'password', autocomplete: 'current-password', required: true }),
		},
		labels: words,
		go: words.go,
		wrong: words.wrong,
		ends: ({ status }) => status === 200,
		done,
	});
	return {
		node: el('div', { class: 'sign-in' }, form.node, el('div', { class: 'soft' },
			el('p', {}, words.noPassword), el('pre', { class: 'lines', tabindex: 0 }, words.setPassword))),
		focus: form.focus,
	};
}
