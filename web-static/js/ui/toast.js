/*
 * Lines at the lower edge that say what was done, with one thing that can be done about it (Undo). What can be done
 * stays for its time whatever else is said; of lines that only tell, the last is seen.
 */

import { append, el } from '../base/dom.js';
import { text } from '../text/common.js';

const SHOWN_MS = 8000;
const MOST = 4; /* with something to do; the oldest goes */

let region = null;
let shown = [];

function hide(one) {
	clearTimeout(one.timer);
	one.node.remove();
	shown = shown.filter((other) => other !== one);
}

function hideLater(one) {
	clearTimeout(one.timer);
	one.timer = setTimeout(() => hide(one), SHOWN_MS);
}

function makeRoom(action) {
	shown.filter((one) => !one.action || (action?.of && one.action.of === action.of)).forEach(hide);
	if (action) shown.slice(MOST - 1).forEach(hide);
}

/*
 * action: {label, onpick, of}; with `of`, what could be done about the same before goes: only the last change of a
 * layout can be undone, and only what was asked last of a part that does not come is done. It stays while the mouse or the focus is on it. Gives back what takes it away.
 */
export function toast(words, action) {
	const one = { action, timer: 0 };
	const away = () => hide(one);
	const stay = () => clearTimeout(one.timer);
	const again = () => hideLater(one);
	const pick = action && el('button', { type: 'button', class: 'btn small', onclick: () => {
		away();
		action.onpick();
	} }, action.label);
	const close = el('button', { type: 'button', class: 'btn small plain', onclick: away }, text.controls.close);

	region ||= append(document.body, el('div', { class: 'toasts', role: 'status', 'aria-atomic': 'false' })).lastChild;
	one.node = el('div',
		{ class: 'toast', onpointerenter: stay, onpointerleave: again, onfocusin: stay, onfocusout: again },
		el('span', { class: 'grow' }, words), pick, close);
	makeRoom(action);
	/* Above the others, for who is about to click one of them. */
	region.prepend(one.node);
	shown.unshift(one);
	again();
	return away;
}
