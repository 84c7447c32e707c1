/* A line at the lower edge that says what was done, with one thing that can be done about it (Undo). */

import { append, el, replace } from '../dom.js';
import { text } from '../text.js';

const SHOWN_MS = 8000;

let region = null;
let timer = 0;

function hide() {
	clearTimeout(timer);
	region?.replaceChildren();
}

function later() {
	clearTimeout(timer);
	timer = setTimeout(hide, SHOWN_MS);
}

/* action: {label, onpick}. It stays while the mouse or the focus is on it. */
export function toast(words, action) {
	region ||= append(document.body, el('div', { class: 'toasts', role: 'status' })).lastChild;
	const pick = action && el('button', { type: 'button', class: 'btn small', onclick: () => {
		hide();
		action.onpick();
	} }, action.label);
	const close = el('button', { type: 'button', class: 'btn small plain', onclick: hide }, text.controls.close);
	replace(region, el('div', { class: 'toast', onpointerenter: () => clearTimeout(timer), onpointerleave: later,
		onfocusin: () => clearTimeout(timer), onfocusout: later }, el('span', { class: 'grow' }, words), pick, close));
	later();
	return hide;
}
