/* The browsers that one is signed in with; each, or all but this one, can be signed out from here. */

import { ask } from '../api.js';
import { el, replace, setText } from '../base/dom.js';
import { moment } from '../base/moments.js';
import { text as common } from '../text/common.js';
import { text } from '../text/account.js';
import { button } from '../ui/controls.js';
import { ago } from '../ui/times.js';
import { listTable, settingsCard } from './settings.js';

const words = text.profile;
const PATH = 'viewer/sessions';

function row(session, onend) {
	const made = moment(session.created_at);
	return el('tr', {}, el('td', {}, made), el('td', {}, session.current ? words.thisBrowser : ago(session.seen_at)),
		el('td', {}, moment(session.ends_at)),
		el('td', {}, !session.current
			&& button(words.signOutThere, { look: 'danger small', 'aria-label': words.signOutOf(made),
			onclick: () => onend(`${PATH}/${session.id}`) })));
}

export function sessionCard() {
	const fault = el('p', { class: 'fault', role: 'alert' });
	const list = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.sessions });
	const others = button(words.signOutOthers, { look: 'danger', hidden: true, onclick: () => end(PATH) });

	function isFine(answer, status) {
		setText(fault, answer.status === status ? '' : common.fault.of(answer));
		return answer.status === status;
	}

	async function show() {
		const answer = await ask('GET', PATH);
		if (!isFine(answer, 200)) return;
		const { items } = answer.body;
		replace(list, listTable(words.sessionColumns, items.map((session) => row(session, end))));
		others.hidden = items.every((session) => session.current);
	}

	async function end(path) {
		if (isFine(await ask('DELETE', path), 204)) await show();
	}

	show();
	return settingsCard(words.sessions, list, el('p', { class: 'hint' }, words.sessionsHow), others, fault);
}
