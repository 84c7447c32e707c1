/*
 * A dialog of one form: Enter sends it, Cancel and Esc leave everything as it was. It stays, with what was typed, until
 * that is taken.
 */

import { el, replace } from '../base/dom.js';
import { text } from '../text/common.js';
import { button } from './controls.js';
import { dialog } from './dialog.js';
import { isDone } from './form.js';

/*
 * onsend() returns why it failed, as text or nodes, or ''; ondone() is called after the dialog is closed.
 * canSend(): whether enough was typed.
 */
export function formDialog(title, body,
	{ go = text.form.save, look = 'primary', wide = false, canSend = () => true, onsend, ondone }) {
	const submit = button(go, { look, type: 'submit', form: 'dialog-form' });
	const cancel = button(text.controls.cancel, { onclick: () => card.close() });
	const fault = el('p', { class: 'fault', role: 'alert' });
	let isBusy = false;

	function check() {
		submit.disabled = !canSend();
	}

	async function send(event) {
		event.preventDefault();
		if (isBusy || !canSend()) return;
		isBusy = true;
		replace(fault, await onsend() || '');
		isBusy = false;
		if (fault.textContent) return;
		card.close();
		ondone?.();
	}

	const form = el('form', { id: 'dialog-form', class: 'ask', onsubmit: send, oninput: check }, body);
	const card = dialog(title, [form, fault], { actions: [cancel, submit], look: wide ? 'wide' : '' });
	check();
	(form.querySelector('input:not([type=color]), textarea, select') || submit).focus();
	return card;
}

/* Opens a dialog that sends a request: send() returns the server's answer, done(body) receives its body. */
export function requestDialog(title, body, { send, done, ...look }) {
	let answer = null;

	async function onsend() {
		answer = await send();
		return isDone(answer) ? '' : text.fault.of(answer);
	}

	return formDialog(title, body, { ...look, onsend, ondone: () => done(answer.body) });
}
