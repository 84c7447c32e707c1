/* How one comes in: what is typed is sent, and what the server has against it is said. */

import { ask } from '../api.js';
import { el, field, setText } from '../base/dom.js';
import { text as common } from '../text/common.js';
import { text } from '../text/sign_in.js';

const words = text.signIn;

const FAULTS = {
	0: () => common.fault.away,
	403: () => words.foreign,
	429: ({ wait }) => words.often(wait),
};

function faultOf(answer, wrong, odd) {
	if (answer.status === 401) return wrong;
	if (answer.status === 400 && odd[answer.body?.field]) return odd[answer.body.field];
	return FAULTS[answer.status]?.(answer) || common.fault.other(answer.status, answer.body?.detail);
}

export function nameField() {
	return el('input', { id: 'name', autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false', required: true,
		maxlength: 64 });
}

/*
 * {node, focus}. `inputs`: what is sent under each name; the first has the focus, and the last, which is a secret, when
 * it was `wrong`. odd: what is said instead of the server's words when it does not take a field, by its name.
 * done(answer) for each answer of `ends`.
 */
export function entryForm({ path, inputs, labels, go, wrong, odd = {}, ends, done }) {
	const all = Object.values(inputs);
	const fault = el('p', { class: 'fault', role: 'alert' });
	const button = el('button', { class: 'btn primary' }, go);

	async function submit(event) {
		event.preventDefault();
		fault.textContent = '';
		button.disabled = true;
		const answer = await ask('POST', path,
			Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value])));
		button.disabled = false;
		if (ends(answer)) return done(answer);
		setText(fault, faultOf(answer, wrong, odd));
		const first = inputs[answer.body?.field] || all.at(-1);
		first.select();
		first.focus();
	}

	return {
		node: el('form', { onsubmit: submit }, Object.entries(inputs).map(([name, input]) => field(labels[name], input)),
			fault, button),
		focus: all[0],
	};
}
