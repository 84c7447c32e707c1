/* /login and /authorize: who is not signed in does so first; then keys. */

import { ask } from './api.js';
import { el, replace } from './dom.js';
import { keysPage } from './pages/keys.js';
import { signInPage } from './pages/sign_in.js';
import { text } from './text.js';

const app = document.getElementById('app');

function show(page) {
	replace(app, page.node);
	page.focus.focus();
}

function faultPage(answer) {
	const again = el('button', { class: 'btn primary', type: 'button', onclick: begin }, text.fault.again);
	const words = answer.status === 0 ? text.fault.away : text.fault.other(answer.status, answer.body?.detail);
	document.title = text.titles.fault;
	return {
		node: el('main', { class: 'cards narrow' }, el('div', { class: 'card' },
			el('h1', {}, text.product), el('p', { class: 'fault', role: 'alert' }, words), again)),
		focus: again,
	};
}

async function begin() {
	const session = await ask('GET', 'session');
	if (session.status !== 200) return show(faultPage(session));
	if (session.body.name) return show(keysPage(session.body.name, begin));
	return show(signInPage(session.body.has_users, begin));
}

begin();
