/*
 * Projects as a table, the last active first. What is read again changes in its place; rows change places only while
 * nobody points at them.
 */

import { hrefOf } from '../address.js';
import { el, renew, replace } from '../base/dom.js';
import { bytes } from '../base/format.js';
import { text as common } from '../text/common.js';
import { text } from '../text/projects.js';
import { icon } from '../ui/icons.js';
import { ago } from '../ui/times.js';

const words = text.projects;
const SHOWN_MOST = 200;
const COUNTED_MOST = 10000; /* the server counts no further */

const nameOf = ({ entity, name }) => `${entity}/${name}`;
const lastOf = ({ activity, created_at: made }) => activity?.heard_at || made;

export function byActivity(items) {
	return [...items].sort((a, b) => lastOf(b).localeCompare(lastOf(a)));
}

/* Returns the projects with all words in their name or description, in upper or lower case. */
export function found(items, typed) {
	const parts = typed.toLowerCase().split(/\s+/).filter(Boolean);
	return items.filter((project) => {
		const all = `${nameOf(project)} ${project.description}`.toLowerCase();
		return parts.every((part) => all.includes(part));
	});
}

function counted(number) {
	return number === undefined ? common.none : words.count(number, number >= COUNTED_MOST);
}

function running({ activity }) {
	if (!activity?.running) return el('span', { class: 'muted' }, activity ? 0 : common.none);
	return el('span', { class: 'state running' }, icon('running'), counted(activity.running));
}

function row(project) {
	return el('tr', {},
		el('th', { scope: 'row' }, el('a', { href: hrefOf(project.entity, project.name) }, nameOf(project)),
			project.description && el('div', { class: 'soft clip', title: project.description }, project.description)),
		el('td', { class: 'number' }, running(project)),
		el('td', { class: 'number' }, counted(project.activity?.runs)),
		el('td', {}, ago(project.activity?.heard_at)),
		el('td', { class: 'number' }, project.bytes === null ? common.none : bytes(project.bytes)),
		el('td', {}, common.privacy[project.visibility] ?? project.visibility));
}

/* {node, show(items)}: the items in their order. */
export function projectTable() {
	const rows = new Map();
	const body = el('tbody');
	const more = el('p', { class: 'soft' });
	const table = el('table', { class: 'list projects' },
		el('thead', {}, el('tr', {},
			words.columns.map(([name, look]) => el('th', { scope: 'col', class: look }, name)))), body);

	function fresh(project) {
		const name = nameOf(project);
		const now = row(project);
		rows.set(name, rows.has(name) ? renew(rows.get(name), now) : now);
		return rows.get(name);
	}

	function show(items) {
		const shown = items.slice(0, SHOWN_MOST).map(fresh);
		const areAll = shown.length === body.childElementCount;
		const areSame = areAll && shown.every((node) => node.parentNode === body);
		const areInPlace = areAll && shown.every((node, at) => body.children[at] === node);
		more.textContent = items.length > SHOWN_MOST ? words.more(items.length - SHOWN_MOST) : '';
		if (!areInPlace && !(areSame && table.matches(':hover, :focus-within'))) replace(body, shown);
	}

	return {
		node: [el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.head }, table), more],
		show,
	};
}
