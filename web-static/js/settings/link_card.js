/* One-time links that were not used yet: listed, revoked, and created in dialogs. */

import { hrefOf } from '../address.js';
import { ask, askAll, root } from '../api.js';
import { el, field, replace } from '../base/dom.js';
import { localMoment } from '../base/moments.js';
import { text as common } from '../text/common.js';
import { text } from '../text/people.js';
import { text as settings } from '../text/settings.js';
import { button, toast } from '../ui/controls.js';
import { isDone } from '../ui/form.js';
import { requestDialog } from '../ui/form_dialog.js';
import { ago } from '../ui/times.js';
import { secretDialog } from './secret_dialog.js';
import { listTable, select, settingsCard } from './settings.js';

const words = text.links;
const asked = text.invite;
const reset = text.passwordLink;

/* The server may not know how it is reached: then the address of this page tells. */
function wholeUrl(url) {
	return url.startsWith('/') ? new URL(url.slice(1), root).href : url;
}

export function showLink(link) {
	const title = link.kind === 'password' ? text.secret.password(link.user) : text.secret.invitation;
	secretDialog(title, text.secret.link, wholeUrl(link.url), text.secret.linkHow(localMoment(link.ends_at)));
}

/* ---- creating --------------------------------------------------------------------------------------- */

export function invite(teams, done) {
	const note = el('input', { id: 'invite-note', maxlength: 128, autocomplete: 'off' });
	const team = select('invite-team', [['', asked.noTeam], ...teams.map((name) => [name, name])], '');
	const role = select('invite-role', Object.entries(settings.members.roles), 'member');
	const hours = select('invite-hours', asked.hoursChoices, '168');
	const admin = el('input', { id: 'invite-admin', type: 'checkbox' });
	const roleField = field(asked.role, role);

	function showRole() {
		roleField.hidden = team.value === '';
	}

	team.addEventListener('change', showRole);
	showRole();
	requestDialog(asked.title, [el('p', {}, asked.why), field(asked.note, note), el('p', { class: 'hint' }, asked.noteHow),
		field(asked.team, team), roleField, field(asked.hours, hours),
		el('label', { class: 'check', for: admin.id }, admin, asked.admin)], {
		go: asked.go,
		send: () => ask('POST', 'links', { note: note.value.trim(), hours: Number(hours.value), admin: admin.checked,
			...(team.value && { team: team.value, role: role.value }) }),
		done(link) {
			showLink(link);
			done();
		},
	});
}

export function passwordLink(name, done) {
	requestDialog(reset.title(name), [el('p', {}, reset.how), el('p', { class: 'hint' }, reset.replaces)], {
		go: asked.go,
		send: () => ask('POST', 'links', { user: name }),
		done(link) {
			showLink(link);
			done();
		},
	});
}

/* ---- the list --------------------------------------------------------------------------------------- */

function purposeOf({ kind, admin, team, role }) {
	if (kind === 'password') return words.password;
	const gives = [admin && words.admin, team && words.member(settings.members.roleNames[role], team)].filter(Boolean);
	return words.invitation(gives);
}

function row(link, onrevoke) {
	const whom = link.user || link.note || words.unnamed;
	return el('tr', {},
		el('th', { scope: 'row', title: whom }, whom),
		el('td', {}, purposeOf(link)),
		el('td', {}, link.made_by ? el('a', { href: `${hrefOf('admin', 'audit')}?actor=${link.made_by}` }, link.made_by)
			: words.byCommand),
		el('td', {}, ago(link.created_at)),
		el('td', {}, el('time', { datetime: link.ends_at }, localMoment(link.ends_at))),
		el('td', {}, button(words.revoke, { look: 'small danger', 'aria-label': words.revokeOf(whom),
			onclick: () => onrevoke(link) })));
}

/* {node, show()}: show() reads the list again. */
export function linkCard(first) {
	const list = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.title });
	let turn = 0;

	function draw(links) {
		const hadFocus = list.contains(document.activeElement);
		replace(list, links.length ? listTable(words.columns, links.toReversed().map((link) => row(link, revoke)))
			: el('p', { class: 'soft' }, words.none));
		if (hadFocus) list.focus();
	}

	async function show() {
		const mine = ++turn;
		const answer = await askAll('links');
		if (mine !== turn) return null;
		return isDone(answer) ? draw(answer.body.items) : toast(common.fault.of(answer));
	}

	async function revoke({ id }) {
		const answer = await ask('DELETE', `links/${id}`);
		toast(isDone(answer) ? words.revoked : common.fault.of(answer));
		return show();
	}

	draw(first);
	return { node: settingsCard(words.title, el('p', { class: 'hint' }, words.how), list), show };
}
