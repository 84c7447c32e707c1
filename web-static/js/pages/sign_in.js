/* The page for users who are not signed in. */

import { el } from '../base/dom.js';
import { signInForm } from '../frame/sign_in_form.js';
import { text } from '../text/sign_in.js';

const words = text.signIn;

export function signInPage(done) {
	const form = signInForm(done);
	return {
		node: el('div', { class: 'cards narrow' }, el('section', { class: 'card roomy', 'aria-label': words.head },
			el('h1', {}, words.head), form.node)),
		focus: form.focus,
		title: words.title,
	};
}
