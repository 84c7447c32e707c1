/*
 * A form that is saved as a whole: what is wrong stands under its field, that it was saved is seen, and a save that
 * fails loses nothing of what was typed.
 */

import { el, setText } from '../base/dom.js';
import { text } from '../text/common.js';

const words = text.form;

/* name: what the server calls it. wrong: said instead of the server's words, which are for programs. */
export function formField(name, label, control, { hint, wrong } = {}) {
	const fault = el('p', { class: 'fault', id: `${control.id}-fault`, role: 'alert' });
	const told = hint && el('p', { class: 'hint', id: `${control.id}-hint` }, hint);

	control.setAttribute('aria-describedby', [told?.id, fault.id].filter(Boolean).join(' '));
	return {
		name,
		control,
		node: el('div', { class: 'labelled' }, el('label', { for: control.id }, label), control, told, fault),
		say(answer) {
			setText(fault, !answer ? '' : answer.status === 400 && wrong ? wrong : text.fault.of(answer));
			control.setAttribute('aria-invalid', String(Boolean(answer)));
		},
	};
}

/* Returns an error that the page found without asking the server, in the form of an answer of send(). */
export function refusal(field, detail) {
	return { status: 400, body: { field, detail } };
}

export function isDone({ status }) {
	return status >= 200 && status < 300;
}

/*
 * The node. `fields` are what formField() gave, `body` is how they stand. send() gives an answer; ondone(body)
 * may give the words that say it. With `isRead` nothing can be changed.
 */
export function form({ id, body, fields, go, isRead = false, send, ondone }) {
	const state = el('p', { class: 'soft', role: 'status' });
	const fault = el('p', { class: 'fault', role: 'alert' });
	let isBusy = false;

	function clear() {
		fields.forEach((one) => one.say(null));
		fault.textContent = '';
		state.textContent = '';
	}

	function fail(answer) {
		const wrong = fields.find(({ name }) => name === answer.body?.field);
		if (!wrong) setText(fault, text.fault.of(answer));
		wrong?.say(answer);
		wrong?.control.focus();
		state.textContent = words.notSaved;
	}

	async function take(event) {
		event.preventDefault();
		if (isBusy) return;
		isBusy = true;
		clear();
		const answer = await send();
		isBusy = false;
		if (isDone(answer)) state.textContent = ondone?.(answer.body) || words.saved;
		else fail(answer);
	}

	/* Clears the error of a field that the user edits. */
	function edit({ target }) {
		fields.find(({ control }) => control === target)?.say(null);
		state.textContent = words.edited;
	}

	return el('form', { id, novalidate: true, onsubmit: take, oninput: edit },
		el('fieldset', { disabled: isRead }, body),
		!isRead && el('div', { class: 'form-foot' }, el('button', { class: 'btn primary' }, go), state),
		fault);
}
