/* A dialog of one form. It stays with what was typed until the server has taken it. */

import { el } from '../dom.js';
import { text } from '../text.js';
import { button } from './controls.js';
import { dialog } from './dialog.js';
import { isDone } from './form.js';

/* send() gives the answer, done(body) is told what came; canSend says whether enough was typed. */
export function formDialog(title, body, { go, look = 'primary', canSend = () => true, send, done }) {
	const fault = el('p', { class: 'fault', role: 'alert' });
	const submit = button(go, { look, type: 'submit', form: 'dialog-form' });
	let isBusy = false;

	function check() {
		submit.disabled = !canSend();
	}

	async function take(event) {
		event.preventDefault();
		if (isBusy || !canSend()) return;
		isBusy = true;
		const answer = await send();
		isBusy = false;
		if (!isDone(answer)) {
			fault.textContent = text.fault.of(answer);
			return;
		}
		card.close();
		done(answer.body);
	}

	const node = el('form', { id: 'dialog-form', class: 'ask', onsubmit: take, oninput: check }, body);
	const card = dialog(title, [node, fault],
		{ actions: [button(text.controls.cancel, { onclick: () => card.close() }), submit] });
	check();
	(card.node.querySelector('input, textarea, select') || submit).focus();
	return card;
}
