/* Reads the view of a run list from the address, and writes it there: only values that differ from the default. */

import { listOf, listText } from '../../base/query_text.js';
import { ROLES } from './group_roles.js';

const NAMES = { created: 'created_at', ended: 'ended_at' };
const SHORT = Object.fromEntries(Object.entries(NAMES).map(([short, key]) => [key, short]));
const SORT = '-created';
const CHANGES = ['off', 'relative', 'absolute'];
export const WIDTHS = [48, 480]; /* of a column, in px */

export const SHOW = '10';
export const SHOWN_MOST = 1000;
export const GROUPS_MOST = 3;
export const SORTS_MOST = 4;
export const OUT_MOST = 64; /* runs that are taken out of groups: their ids are in the filter of every question */

function sortOf(word) {
	const down = word[0] === '-';
	const key = down ? word.slice(1) : word;
	return { key: NAMES[key] || key, down };
}

function sortText({ key, down }) {
	return `${down ? '-' : ''}${SHORT[key] || key}`;
}

/* `*` before pinned ones, `@90` behind those of a width of their own. */
function columnOf(word) {
	const [, star, key, width] = word.match(/^(\*?)(.*?)(?:@(\d{2,3}))?$/);
	return { key, pinned: star === '*', width: width ? Math.min(Math.max(Number(width), WIDTHS[0]), WIDTHS[1]) : null };
}

function columnText({ key, pinned, width }) {
	return `${pinned ? '*' : ''}${key}${width ? `@${Math.round(width)}` : ''}`;
}

export function readRoles(text) {
	return listOf(text).slice(0, GROUPS_MOST).map((role) => ROLES.includes(role) ? role : ROLES[0]);
}

/* Runs that do not count in groups. */
export function readOut(text) {
	return [...new Set(listOf(text))].slice(0, OUT_MOST);
}

function rolesText(roles) {
	return roles.some((role) => role !== ROLES[0]) ? roles.join(',') : '';
}

export function readView(query) {
	const show = query.get('show') || SHOW;
	return {
		filter: query.get('q') || '',
		sort: listOf(query.get('sort') || SORT).slice(0, SORTS_MOST).map(sortOf),
		group: listOf(query.get('group')).slice(0, GROUPS_MOST),
		roles: readRoles(query.get('as')),
		columns: query.has('cols') ? listOf(query.get('cols')).map(columnOf).filter(({ key }) => key) : null,
		tint: query.get('tint') || '',
		change: CHANGES.includes(query.get('change')) ? query.get('change') : CHANGES[0],
		show: /^(\d{1,4}|all|picked|base)$/.test(show) ? show : SHOW,
		on: listOf(query.get('on')),
		off: listOf(query.get('off')),
		out: readOut(query.get('out')),
		base: listOf(query.get('base')),
	};
}

function orNull(text, standard = '') {
	return text === standard ? null : text;
}

/* Members of a view, as the address has them; null is the default. */
const WRITERS = {
	filter: (text) => ['q', orNull(text)],
	sort: (keys) => ['sort', orNull(listText(keys.map(sortText)), SORT)],
	group: (keys) => ['group', orNull(listText(keys))],
	roles: (roles) => ['as', orNull(rolesText(roles))],
	columns: (columns) => ['cols', columns && (listText(columns.map(columnText)) || ',')],
	tint: (key) => ['tint', orNull(key)],
	change: (kind) => ['change', orNull(kind, CHANGES[0])],
	show: (rule) => ['show', orNull(rule, SHOW)],
	on: (ids) => ['on', orNull(listText(ids))],
	off: (ids) => ['off', orNull(listText(ids))],
	out: (ids) => ['out', orNull(listText(ids))],
	base: (ids) => ['base', orNull(listText(ids))],
};

export function writeView(changes) {
	return Object.fromEntries(Object.entries(changes).map(([name, value]) => WRITERS[name](value)));
}

export function orderText(sort) {
	return listText(sort.map(({ key, down }) => `${down ? '-' : ''}${key}`));
}

/*
 * A click on a column's head: the only key, and once more the other way. isMore: one more key; isUp: the first click sorts
 * upwards, as texts always do.
 */
export function sortBy(sort, key, { isMore = false, isUp = false } = {}) {
	const known = sort.find((one) => one.key === key);
	const isText = /^(name|display_name|group|job_type|user|host|state)$/.test(key);
	const turned = { key, down: known ? !known.down : !isText && !isUp };
	if (!isMore) return [turned];
	return known ? sort.map((one) => one.key === key ? turned : one) : [...sort.slice(0, SORTS_MOST - 1), turned];
}

/* Moves an element of a list to another place; returns a new list. */
export function moveItem(list, from, to) {
	const next = list.filter((_, at) => at !== from);
	next.splice(to, 0, list[from]);
	return next;
}
