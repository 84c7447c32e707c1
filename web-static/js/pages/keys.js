/* Makes a key, shows it once, and lists those that there are. */

import { ask, askAll, root } from '../api.js';
import { el, field, replace, setText } from '../base/dom.js';
import { day as dayOf } from '../base/moments.js';
import { listTable, ownTabs, settingsPage } from '../settings/settings.js';
import { text as common } from '../text/common.js';
import { text } from '../text/account.js';
import { toClipboard } from '../ui/copy.js';

const words = text.keys;

/* By plain http there is no clipboard: what is selected can be copied, by us or by hand. */
async function copy(input, button) {
	input.focus();
	input.select();
	const isDone = await toClipboard(input.value) || document.execCommand('copy');
	button.textContent = isDone ? words.copied : words.copyByHand;
}

function madeCard(key) {
	const shown = el('input', { id: 'key', class: 'mono', readonly: true, value: key, spellcheck: 'false' });
	const button = el('button', { class: 'btn primary', type: 'button', onclick: () => copy(shown, button) }, words.copy);
	const base = root.href.replace(/\/$/, '');
	const lines = [
		`machine ${root.host}`,
		'  login user',
		`  password ${key}`,
	].join('\n');

	return {
		node: el('section', { class: 'card roomy', 'aria-label': words.made },
			el('div', { class: 'row' }, field(words.made, shown), button),
			el('p', { role: 'status' }, words.paste),
			el('pre', { class: 'lines', tabindex: 0 }, `wandb login --host ${base}`),
			el('details', {}, el('summary', {}, words.byFile), el('pre', { class: 'lines', tabindex: 0 }, lines))),
		focus: shown,
	};
}

function day(time) {
	return time ? el('time', { datetime: time, title: time }, dayOf(time)) : words.never;
}

function revokeButton(key, onRevoke) {
	const button = el('button', { class: 'btn danger', type: 'button',
		'aria-label': words.revokeName(key.name || words.unnamed, key.ends_with) }, words.revoke);
	button.addEventListener('click', () => {
		if (button.dataset.sure) return onRevoke(key);
		button.dataset.sure = 'yes';
		button.textContent = words.sure;
	});
	button.addEventListener('blur', () => {
		delete button.dataset.sure;
		button.textContent = words.revoke;
	});
	return button;
}

function keyRow(key, onRevoke) {
	return el('tr', {},
		el('td', { title: key.name }, key.name || words.unnamed),
		el('td', { class: 'mono' }, key.ends_with),
		el('td', {}, words.scopes.find(([scope]) => scope === key.scope)[1]),
		el('td', {}, day(key.created_at)),
		el('td', {}, day(key.last_used_at)),
		el('td', { class: 'mono' }, key.last_address || words.nowhere),
		el('td', {}, revokeButton(key, onRevoke)));
}

function keyTable(keys, onRevoke) {
	return listTable(words.columns, keys.map((key) => keyRow(key, onRevoke)));
}

export async function keysPage({ page }) {
	const standardName = page === 'keys' ? words.standardName : ''; /* filled in for a user who comes from the command */
	const name = el('input', { id: 'key-name', value: standardName, maxlength: 64, autocomplete: 'off' });
	const scope = el('select', { id: 'scope' }, words.scopes.map(([value, label]) => el('option', { value }, label)));
	const fault = el('p', { class: 'fault', role: 'alert' });
	const made = el('div');
	const list = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.own });
	const go = el('button', { class: 'btn primary' }, words.go);
	const revoked = new Set();
	let turn = 0;

	function isFine(answer, status) {
		setText(fault, answer.status === status ? '' : common.fault.of(answer));
		return answer.status === status;
	}

	async function showList() {
		const mine = ++turn;
		const answer = await askAll('viewer/keys');
		if (mine !== turn || !isFine(answer, 200)) return;
		const hadFocus = list.contains(document.activeElement);
		replace(list, answer.body.items.length
			? keyTable(answer.body.items.reverse(), revoke) : el('p', { class: 'soft' }, words.noKeys));
		if (hadFocus) list.focus();
	}

	/* Once, however often it is clicked. */
	async function revoke(key) {
		if (revoked.has(key.id)) return;
		revoked.add(key.id);
		const answer = await ask('DELETE', `viewer/keys/${key.id}`);
		if (isFine(answer, 204)) await showList();
		else revoked.delete(key.id);
	}

	async function submit(event) {
		event.preventDefault();
		go.disabled = true;
		const answer = await ask('POST', 'viewer/keys', { name: name.value.trim() || standardName, scope: scope.value });
		go.disabled = false;
		if (!isFine(answer, 201)) return;
		const card = madeCard(answer.body.key);
		replace(made, card.node);
		card.focus.focus();
		card.focus.select();
		await showList();
	}

	showList();
	return {
		node: settingsPage(page === 'settings-keys' && ownTabs('keys'),
			el('section', { class: 'card roomy' },
				el('h1', {}, words.head),
				el('form', { onsubmit: submit },
					el('div', { class: 'row' }, field(words.name, name), field(words.scope, scope), go)),
				fault),
			made,
			el('section', { class: 'card roomy' }, el('h2', {}, words.own), list)),
		focus: name,
		title: words.title,
	};
}
