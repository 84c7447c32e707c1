/* Which columns the list has, in which order, and which of them stay at the left. */

import { el, replace } from '../dom.js';
import { columnName } from '../runs/columns.js';
import { matching } from '../runs/known_keys.js';
import { text } from '../text.js';
import { button, dialog, field, iconButton, toggle } from './controls.js';
import { matcherOf } from './matcher.js';

const words = text.workspace;
const MOST = 100;

/* A text that is a regular expression is one; else it is found as it stands. */
function found(keys, typed) {
	if (!/[\^$*+?()[\]|\\]/.test(typed)) return matching(keys, typed, MOST);
	return keys.filter(matcherOf(typed)).slice(0, MOST);
}

function moved(columns, from, to) {
	const next = columns.filter((_, at) => at !== from);
	next.splice(to, 0, columns[from]);
	return next;
}

/* onchange(columns, or null for the defaults) at each change: the list behind shows it. */
export function pickColumns({ columns: given, keys, onchange }) {
	let columns = given;
	const chosen = el('ol', { class: 'picked', 'aria-label': words.chosen });
	const others = el('ul', { class: 'keys', 'aria-label': words.available });
	const search = field('search', words.findKey);
	const input = search.querySelector('input');

	function change(next) {
		columns = next;
		onchange(columns);
		paint();
	}

	function chosenItem(column, at) {
		const item = el('li', { draggable: 'true' }, el('span', { class: 'clip grow', title: column.key }, columnName(column.key)),
			toggle(el('span', { class: 'sr' }, words.pinColumn(column.key)), column.pinned,
				(pinned) => change(columns.map((one) => one === column ? { ...one, pinned } : one)), { title: words.pinColumn(column.key) }),
			iconButton('down', words.moveUp(column.key), { class: 'ibtn small turned', disabled: at === 0, onclick: () => change(moved(columns, at, at - 1)) }),
			iconButton('down', words.moveDown(column.key), { class: 'ibtn small', disabled: at === columns.length - 1,
				onclick: () => change(moved(columns, at, at + 1)) }),
			iconButton('close', words.takeOut(column.key), { class: 'ibtn small', onclick: () => change(columns.filter((one) => one !== column)) }));
		item.addEventListener('dragstart', (event) => event.dataTransfer.setData('text/plain', String(at)));
		item.addEventListener('dragover', (event) => event.preventDefault());
		item.addEventListener('drop', (event) => {
			event.preventDefault();
			change(moved(columns, Number(event.dataTransfer.getData('text/plain')), at));
		});
		return item;
	}

	function paint() {
		const left = found(keys.filter((key) => !columns.some((column) => column.key === key)), input.value.trim());
		replace(chosen, columns.map(chosenItem));
		replace(others, left.length ? left.map((key) => el('li', {},
			el('button', { type: 'button', class: 'clip', 'aria-label': words.put(key), onclick: () => {
				change([...columns, { key, pinned: false, width: null }]);
				input.focus();
			} }, key))) : el('li', { class: 'muted' }, words.noKeys));
	}

	input.addEventListener('input', paint);
	paint();
	const back = button(words.defaults, { onclick: () => {
		onchange(null);
		card.close();
	} });
	const card = dialog(words.columnsHead, [chosen, search, others], { actions: [back] });
	input.focus();
}
