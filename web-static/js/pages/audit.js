/* The audit log of this server, the latest entry first. The filter is in the address. */

import { hrefOf } from '../address.js';
import { ask, root } from '../api.js';
import { el, field, replace, setText } from '../base/dom.js';
import { midnight, wholeMoment } from '../base/moments.js';
import { onQuery, query, setQuery } from '../router.js';
import { adminTabs, listTable, options, select, settingsCard, widePage } from '../settings/settings.js';
import { text as common } from '../text/common.js';
import { text } from '../text/server.js';
import { formField, refusal } from '../ui/form.js';

const words = text.audit;
const TEXTS = ['actor', 'action', 'entity', 'project'];
const DAYS = ['since', 'until'];
const SAME = ['actor', 'way', 'key', 'address', 'action', 'entity', 'project', 'subject', 'detail'];

function isLike(entry, other) {
	return Boolean(entry.run) && Boolean(other.run) && SAME.every((name) => entry[name] === other[name]);
}

/* Consecutive entries that differ only in the run, such as those of a selection, as one: [[entry, …], …] in their order. */
function folded(entries) {
	const lines = [];
	for (const entry of entries) {
		const line = lines.at(-1);
		if (line && isLike(line[0], entry)) line.push(entry);
		else lines.push([entry]);
	}
	return lines;
}

/* Midnight where one is, so many days later; a day that is none asks for nothing. */
function secondsOf(day, later) {
	const [year, month, date] = day.split('-').map(Number);
	const at = midnight(year, month - 1, date + later) / 1000;
	return Number.isFinite(at) && at >= 0 ? String(at) : null;
}

/* Returns the query to the server for the address's parameters; `until` covers a whole day. */
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

/* Returns links for one entry, or for entries that record the same action on several runs. */
function placesOf(line) {
	const [{ entity, project }] = line;
	if (line.length === 1) return placeOf(line[0]);
	const runs = new Set(line.map(({ run }) => run));
	return el('details', {}, el('summary', {}, `${entity}/${project}: ${words.runs(runs.size)}`),
		el('ul', {}, [...runs].map((run) => el('li', {}, placeOf({ entity, project, run })))));
}

function row(line) {
	const [entry] = line;
	return el('tr', {},
		el('td', {}, el('time', { datetime: entry.at, title: entry.at }, wholeMoment(entry.at))),
		el('td', {}, entry.actor || (entry.way === 'command' ? words.commandLine : words.unknown)),
		el('td', { title: entry.key ? words.key(entry.key) : null }, words.ways[entry.way],
			entry.address && ` ${entry.address}`),
		el('th', { scope: 'row', title: entry.action }, words.actions[entry.action] || entry.action),
		el('td', {}, placesOf(line), entry.entity && entry.subject && ' ', entry.subject),
		el('td', {}, entry.detail));
}

/* Returns the kinds to offer, with the kind in the address even if it is not one of them. */
function kindsWith(given) {
	return words.kinds.some(([kind]) => kind === given)
		? words.kinds : [...words.kinds, [given, words.actions[given] || given]];
}

/* {node, show(): what the address says now}; asked() if the user asks again for what the address says. */
function filterForm(asked) {
	const line = (name) => el('input', { id: `audit-${name}`, name, autocomplete: 'off' });
	const day = (name) => el('input', { id: `audit-${name}`, name, type: 'date' });
	const action = select('audit-action', words.kinds, '');
	action.name = 'action';
	const until = formField('until', words.until, day('until'), { wrong: words.untilWrong });
	const fields = [field(words.actor, line('actor')), field(words.action, action), field(words.entity, line('entity')),
		field(words.project, line('project')), field(words.since, day('since')), until.node];

	/* Days as they are written are in the order of time. */
	function isFine() {
		const { since, until: last } = node.elements;
		const isWrong = since.value !== '' && last.value !== '' && since.value > last.value;
		until.say(isWrong ? refusal('until', words.untilWrong) : null);
		return !isWrong;
	}

	function take(event) {
		event.preventDefault();
		if (!isFine()) return until.control.focus();
		const before = location.search;
		const given = [...new FormData(event.currentTarget)].map(([name, value]) => [name, value.trim() || null]);
		setQuery(Object.fromEntries(given), { replace: false });
		return location.search === before ? asked() : null;
	}

	const node = el('form', { id: 'audit-filter', onsubmit: take },
		el('fieldset', {}, el('div', { class: 'row' }, fields)),
		el('div', { class: 'form-foot' }, el('button', { class: 'btn primary' }, words.go)));

	function show() {
		const params = query();
		const given = params.get('action') || '';
		replace(action, options(kindsWith(given), given));
		for (const name of [...TEXTS, ...DAYS]) node.elements[name].value = params.get(name) || '';
		isFine();
	}

	show();
	return { node, show };
}

/*
 * The list: read() begins it again by the address, its foot goes on with what was asked. Of several questions the last
 * one counts. Its nodes keep the focus.
 */
function auditList() {
	const rows = el('div', { class: 'scroll audit', tabindex: 0, role: 'region', 'aria-label': words.head });
	const state = el('p', { class: 'soft', role: 'status' });
	const older = el('button', { class: 'btn', type: 'button', hidden: true, onclick: () => goOn() }, words.older);
	const save = el('a', { class: 'btn', download: 'audit.ndjson', hidden: true }, words.save);
	const foot = el('div', { class: 'form-foot' }, older, save);
	let entries = [];
	let next = null; /* {asked, cursor} of what is older */
	let turn = 0;

	function showOlder() {
		const hasFocus = document.activeElement === older;
		older.hidden = !next;
		if (hasFocus && !next) rows.focus();
	}

	function draw(asked) {
		replace(rows, listTable(words.columns, folded(entries).map(row)));
		save.href = new URL(`api/v1/audit?${new URLSearchParams([...asked, ['format', 'ndjson']])}`, root).href;
		save.hidden = false;
		setText(state, entries.length ? words.count(entries.length, Boolean(next)) : words.none);
	}

	function refuse(answer, isNew) {
		setText(state, common.fault.of(answer));
		if (!isNew) return;
		entries = [];
		replace(rows);
		save.hidden = true;
	}

	async function ofServer(asked, cursor) {
		const mine = ++turn;
		const answer = await ask('GET', `audit?${new URLSearchParams([...asked, ...cursor ? [['cursor', cursor]] : []])}`);
		if (mine !== turn) return answer;
		if (answer.status === 200) {
			entries = [...cursor ? entries : [], ...answer.body.items];
			next = answer.body.next_cursor ? { asked, cursor: answer.body.next_cursor } : null;
			draw(asked);
		} else refuse(answer, !cursor);
		showOlder();
		return answer;
	}

	function read() {
		next = null;
		showOlder();
		return ofServer(askedOf(query()));
	}

	function goOn() {
		if (next) ofServer(next.asked, next.cursor);
	}

	return { node: [rows, state, foot], read };
}

export async function auditPage() {
	const viewer = await ask('GET', 'viewer');
	if (viewer.status !== 200) return { answer: viewer };
	if (!viewer.body.admin) return { answer: { status: 404 } };
	const list = auditList();
	const first = await list.read();
	if (![200, 400].includes(first.status)) return { answer: first };
	const filter = filterForm(list.read);
	return {
		node: widePage(adminTabs('audit'), el('h1', {}, words.head),
			settingsCard(words.filter, filter.node), settingsCard(words.list, list.node)),
		title: words.head,
		stop: onQuery(() => {
			filter.show();
			list.read();
		}),
	};
}
