/* Above a table: the filter, the columns that rows are grouped by, what groups show, and files of what is shown. */

import { el, refill } from '../base/dom.js';
import { text } from '../text/tables.js';
import { field, iconButton, menu, toggle } from '../ui/controls.js';
import { KEYS_MOST } from './group_rows.js';

const words = text.tables;
const PAUSE_MS = 200;

let bars = 0;

function groupPickers(table, ongroup) {
	const node = el('span', { class: 'table-groups' });
	const names = table.columns.map(({ name }, at) => [String(at), name]);
	let picked = [];

	function picker(at) {
		const label = at ? words.thenBy : words.groupBy;
		const options = [['', at ? words.nothing : words.noGroup], ...names.filter(([value]) => value === picked[at] || !picked.includes(value))];
		const control = el('select', { 'aria-label': label, onchange: () => {
			picked = [...picked.slice(0, at), control.value, ...picked.slice(at + 1)].filter(Boolean);
			draw();
			ongroup(picked.map((value) => table.columns[Number(value)]));
		} }, options.map(([value, name]) => el('option', { value, selected: value === (picked[at] ?? '') }, name)));
		return el('label', { class: 'btn choice' }, el('span', { 'aria-hidden': 'true' }, label), control);
	}

	function draw() {
		const held = document.activeElement?.getAttribute('aria-label');
		const hadFocus = node.contains(document.activeElement);
		node.replaceChildren(...Array.from({ length: Math.min(picked.length + 1, KEYS_MOST) }, (_, at) => picker(at)));
		if (hadFocus) [...node.querySelectorAll('select')].find((one) => one.getAttribute('aria-label') === held)?.focus();
	}

	draw();
	return { node, set(columns) {
		picked = columns.map((column) => String(table.columns.indexOf(column)));
		draw();
	} };
}

/*
 * onfilter(text), ongroup(columns), onsum(name), onlayers(isOn) where images have some, save('csv' or 'json'). Gives {node, typed(), caret():
 * the selection in the filter if it has the focus, focus(caret), set({typed, columns, sum}), setFault(fault or null), stop}.
 */
export function tableBar({ table, onfilter, ongroup, onsum, onlayers, save }) {
	const faultId = `table-fault-${++bars}`;
	const search = field('filter', words.filter, { placeholder: words.filterHint, maxlength: 4096, 'aria-describedby': faultId,
		oninput: () => {
			clearTimeout(timer);
			timer = setTimeout(send, PAUSE_MS);
		}, onkeydown: ({ key }) => key === 'Enter' && send() });
	const fault = el('p', { class: 'filter-fault', id: faultId, role: 'alert' });
	const sumChoice = el('select', { 'aria-label': words.sum, onchange: () => onsum(sumChoice.value) },
		words.sums.map(([value, name]) => el('option', { value }, name)));
	const sums = el('label', { class: 'btn choice', hidden: true }, el('span', { 'aria-hidden': 'true' }, words.sum), sumChoice);
	const pickers = groupPickers(table, (columns) => {
		sums.hidden = !columns.length;
		ongroup(columns);
	});
	const saves = menu(iconButton('download', words.save), [
		{ label: words.saveCsv, onpick: () => save('csv') }, { label: words.saveJson, onpick: () => save('json') }]);
	let timer = 0;
	let sent = '';

	function send() {
		clearTimeout(timer);
		if (search.control.value === sent) return;
		sent = search.control.value;
		onfilter(sent);
	}

	return {
		node: el('div', { class: 'table-bar', role: 'toolbar', 'aria-label': words.bar }, search, pickers.node, sums,
			onlayers && toggle(words.layers, true, onlayers), saves, fault),
		typed: () => search.control.value,
		caret: () => document.activeElement === search.control ? [search.control.selectionStart, search.control.selectionEnd] : null,
		focus(caret) {
			search.control.focus();
			search.control.setSelectionRange(...caret);
		},
		set({ typed, columns, sum }) {
			search.control.value = sent = typed;
			pickers.set(columns);
			sumChoice.value = sum;
			sums.hidden = !columns.length;
		},
		setFault(said) {
			search.control.setAttribute('aria-invalid', String(Boolean(said)));
			refill(fault, said?.words);
		},
		stop: () => clearTimeout(timer),
	};
}
