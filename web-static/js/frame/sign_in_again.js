/* If the user was signed out, a card over the page asks them to sign in again; waiting requests then continue. */

import { ask, setSignedIn } from '../api.js';
import { el } from '../base/dom.js';
import { text } from '../text/sign_in.js';
import { dialog } from '../ui/dialog.js';
import { signInForm } from './sign_in_form.js';

/* resolve(whether it is the same user). For another user, or none, the page is loaded again. */
export function signInAgain(name, resolve) {
	let isBack = false;

	async function check() {
		const answer = await ask('GET', 'session');
		isBack = answer.status === 200 && answer.body.name === name;
		card.close();
	}

	const form = signInForm(check);
	const card = dialog(text.signedOut.head, [el('p', {}, text.signedOut.why), form.node], { onclose: () => {
		if (!isBack) setSignedIn(false);
		resolve(isBack);
		if (!isBack) location.reload();
	} });
	form.focus.focus();
}
