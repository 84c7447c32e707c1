/* Parts that the settings pages share: their layout, and the tabs of the user's own pages. */

import { hrefOf } from '../address.js';
import { el } from '../base/dom.js';
import { text } from '../text/frame.js';
import { tabs } from '../ui/controls.js';

const words = text.settings;

export function settingsPage(...cards) {
	return el('div', { class: 'cards settings', 'data-scroll': 'page' }, cards);
}

/* With a table that needs more room than forms do. */
export function widePage(...cards) {
	const node = settingsPage(...cards);
	node.classList.add('wide');
	return node;
}

export function settingsCard(title, ...body) {
	return el('section', { class: 'card roomy', 'aria-label': title }, el('h2', {}, title), body);
}

export function ownTabs(current) {
	return tabs(words.own, words.ownPages.map(([id, name]) => ({ id, name, href: hrefOf('settings', id) })), current);
}

/* Returns the tabs of the pages for admins of the server. */
export function adminTabs(current) {
	return tabs(words.server, words.serverPages.map(([id, name]) => ({ id, name, href: hrefOf('admin', id) })), current);
}

/* A column without a name has buttons. */
export function listTable(columns, rows) {
	return el('table', { class: 'list' },
		el('thead', {}, el('tr', {}, columns.map((name) => name ? el('th', { scope: 'col' }, name) : el('td')))),
		el('tbody', {}, rows));
}

/* [[name, value], …]; false has no line. */
export function factList(facts) {
	return el('dl', { class: 'facts' }, facts.filter(([, value]) => value !== false)
		.map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

export function options(list, chosen) {
	return list.map(([value, label]) => el('option', { value, selected: value === chosen }, label));
}

export function select(id, list, chosen) {
	return el('select', { id }, options(list, chosen));
}
