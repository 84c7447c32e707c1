/* Rows of keys that are edited in a dialog: what is grouped by, what is sorted by, what is filtered. */

import { el, replace } from '../base/dom.js';
import { isProgram } from '../base/filter_text.js';
import { text } from '../text/list.js';
import { button, iconButton } from '../ui/controls.js';
import { RELATIONS } from './model/filter_rows.js';
import { ROLES } from './model/group_roles.js';
import { GROUPS_MOST } from './model/run_view.js';

const words = text.workspace;

function keyInput(key, onchange) {
	return el('input', { class: 'key', value: key, list: 'known-keys', 'aria-label': words.key, autocomplete: 'off',
		spellcheck: 'false', maxlength: 512,
		onchange: (event) => onchange(event.target.value.trim()) });
}

function choice(label, options, chosen, onchange) {
	const node = el('select', { 'aria-label': label, onchange: () => onchange(node.value) },
		options.map(([value, word]) => el('option', { value, selected: value === chosen }, word)));
	return node;
}

/*
 * Rows that `draw(row, change)` makes; `most` of them, and only one if it is whole (isWhole(row)); a new one is `fresh()`.
 * {node, rows()}
 */
export function rowEditor({ rows: given, draw, fresh, most, add, isWhole = () => false }) {
	let rows = given.map((row) => ({ ...row }));
	const list = el('div', { class: 'key-rows' });
	const more = button(add, { name: 'plus', look: 'small', onclick: () => {
		rows = [...rows, fresh()];
		paint();
		list.lastElementChild.querySelector('input').focus();
	} });

	function paint() {
		replace(list, rows.map((row, at) => el('div', { class: 'key-row' },
			draw(row, (changes) => {
				Object.assign(row, changes);
				if ('relation' in changes) paint();
			}),
			iconButton('close', words.removeRow, { onclick: () => {
				rows = rows.filter((_, place) => place !== at);
				paint();
				more.focus();
			} }))));
		more.hidden = rows.length >= most || rows.some(isWhole);
	}

	paint();
	return { node: [list, more], rows: () => rows };
}

const optionsOf = (keys) => keys.map((key) => el('option', { value: key }));

export function keyList(keys) {
	return el('datalist', { id: 'known-keys' }, optionsOf(keys));
}

/*
 * In a dialog's fields of keys: of those that are known, and of what is typed those that are found; later: a promise of
 * further ones; order: of key_order.js, which of them are first.
 */
export function offerKeys(card, known, { later = null, order = (keys) => keys } = {}) {
	const ordered = () => order(known.keys(), known.isNumber);
	const list = keyList(ordered());
	let further = [];
	const offer = () => replace(list, optionsOf([...ordered(), ...further]));
	card.append(list);
	later?.then((keys) => {
		further = keys;
		offer();
	});
	card.addEventListener('input', async ({ target }) => {
		if (target.list === list && await known.find(target.value.trim())) offer();
	});
}

/* roles: what keys act as, in their order. */
export function groupRows(group, roles) {
	const rows = group.map((key, at) => ({ key, role: roles[at] || ROLES[0] }));
	return { rows, most: GROUPS_MOST, add: words.addKey, fresh: () => ({ key: '', role: ROLES[0] }),
		draw: (row, change) => [keyInput(row.key, (key) => change({ key })),
			choice(text.groupRoles.label, text.groupRoles.names, row.role, (role) => change({ role }))] };
}

export function sortRows(sort, most) {
	return { rows: sort, most, add: words.addKey, fresh: () => ({ key: '', down: true }),
		draw: (row, change) => [keyInput(row.key, (key) => change({ key })),
			choice(words.sortHead, [['up', words.up], ['down', words.down]], row.down ? 'down' : 'up',
				(value) => change({ down: value === 'down' }))] };
}

export function filterRows(rows) {
	const draw = (row, change) => row.text !== undefined
		? el('input', { class: 'written', value: row.text, 'aria-label': words.asWritten,
			onchange: (event) => change({ text: event.target.value }) })
		: [keyInput(row.key, (key) => change({ key })),
			choice(words.relation, RELATIONS.map((one) => [one, words.relations[one]]), row.relation,
				(relation) => change({ relation })),
			!row.relation.startsWith('has')
				&& el('input', { class: 'value', value: row.value, 'aria-label': words.value, autocomplete: 'off',
				spellcheck: 'false',
				onchange: (event) => change({ value: event.target.value }) })];
	return { rows, most: 32, add: words.addRow, fresh: () => ({ key: '', relation: ':', value: '' }), draw,
		isWhole: ({ text: written }) => isProgram(written ?? '') };
}
