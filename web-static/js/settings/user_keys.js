/* Keys of a user, for admins of the server: those of a service account are created here, too. */

import { ask, askAll } from '../api.js';
import { el, field, replace, setText } from '../base/dom.js';
import { text as account } from '../text/account.js';
import { text as common } from '../text/common.js';
import { text } from '../text/people.js';
import { button, toast } from '../ui/controls.js';
import { dialog } from '../ui/dialog.js';
import { isDone } from '../ui/form.js';
import { ago } from '../ui/times.js';
import { secretDialog } from './secret_dialog.js';
import { listTable, select } from './settings.js';

const words = text.userKeys;
const keyWords = account.keys;

export const keysOf = (name) => `users/${encodeURIComponent(name)}/keys`;

export function showKey(name, key) {
	secretDialog(text.secret.key(name), text.secret.keyLabel, key.key, text.secret.keyHow);
}

function row(key, onrevoke) {
	return el('tr', {},
		el('th', { scope: 'row', title: key.name }, key.name || keyWords.unnamed),
		el('td', { class: 'mono' }, key.ends_with),
		el('td', {}, keyWords.scopes.find(([scope]) => scope === key.scope)[1]),
		el('td', {}, key.last_used_at ? ago(key.last_used_at) : keyWords.never),
		el('td', {}, button(keyWords.revoke, { look: 'small danger',
			'aria-label': keyWords.revokeName(key.name || keyWords.unnamed, key.ends_with), onclick: () => onrevoke(key) })));
}

/* changed() after each change. */
export function userKeys({ name, service }, changed) {
	const list = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.title(name) });
	const fault = el('p', { class: 'fault', role: 'alert' });
	const label = el('input', { id: 'key-name', maxlength: 64, autocomplete: 'off' });
	const scope = select('key-scope', keyWords.scopes, 'write');
	const form = el('form', { onsubmit: create }, el('div', { class: 'row' }, field(words.name, label),
		field(keyWords.scope, scope), el('button', { class: 'btn primary' }, words.go)));
	let isBusy = false;

	function isFine(answer) {
		setText(fault, isDone(answer) ? '' : common.fault.of(answer));
		return isDone(answer);
	}

	async function show() {
		const answer = await askAll(keysOf(name));
		if (!isFine(answer)) return;
		const hadFocus = list.contains(document.activeElement);
		replace(list, answer.body.items.length
			? listTable(words.columns, answer.body.items.toReversed().map((key) => row(key, revoke)))
			: el('p', { class: 'soft' }, words.none));
		if (hadFocus) list.focus();
	}

	async function revoke({ id }) {
		if (!isFine(await ask('DELETE', `${keysOf(name)}/${id}`))) return;
		toast(words.revoked);
		changed();
		await show();
	}

	async function create(event) {
		event.preventDefault();
		if (isBusy) return;
		isBusy = true;
		const answer = await ask('POST', keysOf(name), { name: label.value.trim(), scope: scope.value });
		isBusy = false;
		if (!isFine(answer)) return;
		card.close();
		showKey(name, answer.body);
		changed();
	}

	const card = dialog(words.title(name), [list, service && form,
		el('p', { class: 'hint' }, service ? words.service : words.person), fault], { look: 'wide' });
	show();
}
