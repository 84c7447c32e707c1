/* Who did what on this server, the latest first. What is asked for stands in the address. */

import { hrefOf } from '../address.js';
import { ask, root } from '../api.js';
import { el, field, replace } from '../dom.js';
import { wholeMoment } from '../moments.js';
import { adminTabs, listTable, select, settingsCard, settingsPage } from '../parts/settings.js';
import { onQuery, query, setQuery } from '../router.js';
import { text } from '../text.js';

const words = text.audit;
const TEXTS = ['actor', 'action', 'entity', 'project'];
const DAYS = ['since', 'until'];

/* Midnight where one is, so many days later; a day that is none asks for nothing. */
function secondsOf(day, later) {
	const [year, month, date] = day.split('-').map(Number);
	const at = new Date(year, month - 1, date + later) / 1000;
	return Number.isFinite(at) && at >= 0 ? String(at) : null;
}

/* What the server is asked, by what the address says; `until` is a whole day. */
function askedOf(params) {
	const asked = TEXTS.map((name) => [name, params.get(name)]);
	DAYS.forEach((name, later) => asked.push([name, params.get(name) && secondsOf(params.get(name), later)]));
	return new URLSearchParams(asked.filter(([, value]) => value));
}

function placeOf({ entity, project, run }) {
	if (run) return el('a', { href: hrefOf(entity, project, 'runs', run) }, `${entity}/${project}/${run}`);
	if (project) return el('a', { href: hrefOf(entity, project) }, `${entity}/${project}`);
	return entity && el('a', { href: hrefOf(entity) }, entity);
}

function row(entry) {
	return el('tr', {},
		el('td', {}, el('time', { datetime: entry.at, title: entry.at }, wholeMoment(entry.at))),
		el('td', {}, entry.actor || words.nobody),
		el('td', { title: entry.key ? words.key(entry.key) : null }, words.ways[entry.way],
			entry.address && ` ${entry.address}`),
		el('th', { scope: 'row', title: entry.action }, words.actions[entry.action] || entry.action),
		el('td', {}, placeOf(entry), placeOf(entry) && entry.subject && ' ', entry.subject),
		el('td', {}, entry.detail));
}

function inputs() {
	const params = query();
	const given = (name) => params.get(name) || '';
	const line = (name) => el('input', { id: `audit-${name}`, name, value: given(name), autocomplete: 'off' });
	const day = (name) => el('input', { id: `audit-${name}`, name, type: 'date', value: given(name) });
	const action = select('audit-action', words.kinds, given('action'));
	action.name = 'action';
	return [field(words.actor, line('actor')), field(words.action, action), field(words.entity, line('entity')),
		field(words.project, line('project')), field(words.since, day('since')), field(words.until, day('until'))];
}

function filterForm() {
	function take(event) {
		event.preventDefault();
		const given = [...new FormData(event.currentTarget)].map(([name, value]) => [name, value.trim() || null]);
		setQuery(Object.fromEntries(given), { replace: false });
	}
	return el('form', { id: 'audit-filter', onsubmit: take }, el('fieldset', {}, el('div', { class: 'row' }, inputs())),
		el('div', { class: 'form-foot' }, el('button', { class: 'btn primary' }, words.go)));
}

/* The list: `read` begins it anew, its foot goes on. Of several questions the last one counts. */
function auditList() {
	const rows = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.head });
	const foot = el('div', { class: 'form-foot' });
	const state = el('p', { class: 'soft', role: 'status' });
	let entries = [];
	let turn = 0;

	function draw(cursor) {
		replace(rows, listTable(words.columns, entries.map(row)));
		replace(foot, cursor && el('button', { class: 'btn', type: 'button', onclick: () => read(cursor) }, words.older),
			el('a', { class: 'btn', download: 'audit.ndjson',
				href: new URL(`api/v1/audit?${new URLSearchParams([...askedOf(query()), ['format', 'ndjson']])}`, root).href },
			words.save));
		state.textContent = entries.length ? words.count(entries.length, Boolean(cursor)) : words.none;
	}

	async function read(cursor) {
		const mine = ++turn;
		const asked = askedOf(query());
		if (cursor) asked.set('cursor', cursor);
		const answer = await ask('GET', `audit?${asked}`);
		if (mine !== turn) return answer;
		if (answer.status === 200) {
			entries = [...(cursor ? entries : []), ...answer.body.items];
			draw(answer.body.next_cursor);
		} else state.textContent = text.fault.of(answer);
		return answer;
	}

	return { node: [rows, state, foot], read };
}

export async function auditPage() {
	const viewer = await ask('GET', 'viewer');
	if (viewer.status !== 200) return { answer: viewer };
	if (!viewer.body.admin) return { answer: { status: 404 } };
	const list = auditList();
	const first = await list.read();
	if (first.status !== 200) return { answer: first };
	const filter = el('div', {}, filterForm());
	return {
		node: settingsPage(adminTabs('audit'), el('h1', {}, words.head),
			settingsCard(words.filter, filter), settingsCard(words.list, list.node)),
		title: words.head,
		stop: onQuery(() => {
			replace(filter, filterForm());
			list.read();
		}),
	};
}
