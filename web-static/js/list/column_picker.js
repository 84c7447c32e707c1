/* Which columns the list has, in which order, and which of them stay at the left. */

import { el, replace } from '../base/dom.js';
import { text } from '../text/list.js';
import { button, field, iconButton, toggle } from '../ui/controls.js';
import { dialog } from '../ui/dialog.js';
import { matcherOf } from '../ui/matcher.js';
import { pressGuard } from '../ui/press_guard.js';
import { bestChoice } from './best_choice.js';
import { matching } from './model/known_keys.js';
import { AT, atColumn, HOWS, metricColumn, metricKey, metricOf } from './model/metric_column.js';
import { columnNames } from './model/names.js';
import { moveItem } from './model/run_view.js';

const words = text.workspace;
const MOST = 100;

/* A text that is a regular expression is one; else it is found as it stands. */
const isExpression = (typed) => /[\^$*+?()[\]|\\]/.test(typed);

function found(keys, typed) {
	if (!isExpression(typed)) return matching(keys, typed, MOST);
	return keys.filter(matcherOf(typed)).slice(0, MOST);
}

/*
 * onchange(columns, or null for the defaults) at each change: the list behind shows it. known: of known_keys.js;
 * metrics: a promise of the keys that rows have; more: what else is chosen of columns.
 */
export function pickColumns({ columns: given, known, metrics, more, onchange }) {
	const { isNumber } = known;
	let columns = given;
	let inRows = []; /* of which no summary has a number: they are to be had of the rows alone */
	let dragged = null; /* of the columns; what else is dropped here is none */
	const chosen = el('ol', { class: 'picked', 'aria-label': words.chosen });
	const others = el('ul', { class: 'keys', 'aria-label': words.available });
	const search = field('search', words.findKey);
	const input = search.querySelector('input');
	const isPressed = pressGuard(chosen, () => paintChosen());
	let isOld = false; /* the chosen columns are out of date, but pressed or dragged */

	function change(next) {
		columns = next;
		onchange(columns);
		paint();
	}

	const metricKeys = () => [...known.keys().filter(isNumber).map(metricKey).filter((key) => key !== null), ...inRows];
	const isAnother = (column, name) => name !== column.key && columns.some((one) => one.key === name);

	/* At the best step of the first other metric, until another is chosen. */
	function columnOf(how, key) {
		if (how !== AT) return metricColumn(how, key);
		return atColumn(key, 'best', metricKeys().find((one) => one !== key) ?? key);
	}

	/* Returns the menu of a metric's values: the summary's, those over the history, or at the best step of another. */
	function howOf(column) {
		const key = metricKey(column.key);
		const hasSummary = isNumber(metricColumn('', key));
		if (key === null || !(hasSummary || metricOf(column.key) || inRows.includes(key))) return null;
		const chosenHow = metricOf(column.key)?.how ?? '';
		const isOff = (how) => how !== chosenHow && (isAnother(column, columnOf(how, key)) || (how === '' && !hasSummary));
		const options = ['', ...HOWS, AT].map((how) => el('option', { value: how, disabled: isOff(how) },
			words.hows[how || 'summary']));
		const choice = el('select', { 'aria-label': words.howOf(key), 'data-how': column.key,
			onchange: () => changeHow(column, columnOf(choice.value, key), '[data-how]') }, options);
		choice.value = chosenHow;
		return choice;
	}

	function bestOf(column) {
		const metric = metricOf(column.key);
		if (metric?.how !== AT) return null;
		return bestChoice(metric, { keys: metricKeys(), isOff: (name) => isAnother(column, name),
			onchange: (key, part) => changeHow(column, key, `[data-best="${part}"]`) });
	}

	/* Replaces the choice, and keeps the focus there. */
	function changeHow(column, key, part) {
		const at = columns.indexOf(column);
		change(columns.map((one) => one === column ? { ...one, key } : one));
		chosen.children[at].querySelector(part).focus();
	}

	function chosenItem(column, at) {
		const label = words.pinColumn(column.key);
		const item = el('li', { draggable: 'true' },
			el('span', { class: 'clip grow', title: column.key }, columnNames(columns.map(({ key }) => key)).get(column.key)),
			howOf(column), bestOf(column),
			toggle(words.pinShort, column.pinned,
				(pinned) => change(columns.map((one) => one === column ? { ...one, pinned } : one)),
					{ title: label, 'aria-label': label }),
			iconButton('down', words.moveUp(column.key),
				{ class: 'ibtn small turned', disabled: at === 0, onclick: () => change(moveItem(columns, at, at - 1)) }),
			iconButton('down', words.moveDown(column.key), { class: 'ibtn small', disabled: at === columns.length - 1,
				onclick: () => change(moveItem(columns, at, at + 1)) }),
			iconButton('close', words.takeOut(column.key),
				{ class: 'ibtn small', onclick: () => change(columns.filter((one) => one !== column)) }));
		item.addEventListener('dragstart', (event) => {
			dragged = column;
			event.dataTransfer.setData('text/plain', column.key);
		});
		item.addEventListener('dragend', () => {
			dragged = null;
			paintChosen();
		});
		item.addEventListener('dragover', (event) => dragged && event.preventDefault());
		item.addEventListener('drop', (event) => {
			event.preventDefault();
			if (columns.includes(dragged)) change(moveItem(columns, columns.indexOf(dragged), at));
		});
		return item;
	}

	function paintChosen() {
		if (!isOld || dragged || isPressed()) return;
		isOld = false;
		replace(chosen, columns.map(chosenItem));
	}

	function paint() {
		isOld = false;
		dragged = null;
		replace(chosen, columns.map(chosenItem));
		paintOthers();
	}

	function paintOthers() {
		const all = [...known.keys(), ...inRows.map((key) => metricColumn('last', key))];
		const left = found(all.filter((key) => !columns.some((column) => column.key === key)), input.value.trim());
		const focused = others.contains(document.activeElement) && document.activeElement.textContent;
		replace(others, left.length ? left.map((key) => el('li', {},
			el('button', { type: 'button', class: 'clip', 'aria-label': words.put(key), onclick: () => {
				change([...columns, { key, pinned: false, width: null }]);
				input.focus();
				input.select();
			} }, key))) : el('li', { class: 'muted' }, words.noKeys));
		if (focused) ([...others.querySelectorAll('button')].find((one) => one.textContent === focused) ?? input).focus();
	}

	/* Enter puts the first of what is found, arrows go through it. */
	function press(event) {
		const all = [input, ...others.querySelectorAll('button')];
		const at = all.indexOf(document.activeElement);
		const to = all[at + { ArrowDown: 1, ArrowUp: -1 }[event.key]];
		if (event.key === 'Enter' && at === 0 && !event.isComposing) all[1]?.click();
		else if (to) to.focus();
		else return;
		event.preventDefault();
	}

	/* Offers metrics that only rows have. Chosen columns that have the focus are redrawn with the next change. */
	async function offerRows() {
		const isOffered = (key) => metricOf(metricColumn('last', key)) && !isNumber(metricColumn('', key));
		inRows = (await metrics).filter(isOffered);
		isOld = !chosen.contains(document.activeElement);
		paintChosen();
		paintOthers();
	}

	/* Shows the known keys at once, and then those that the server finds. */
	async function seek() {
		paintOthers();
		const typed = input.value.trim();
		if (await known.find(typed, { isExpression: isExpression(typed) })) paintOthers();
	}

	input.addEventListener('input', seek);
	for (const node of [search, others]) node.addEventListener('keydown', press);
	paint();
	offerRows();
	const back = button(words.defaults, { onclick: () => {
		onchange(null);
		card.close();
	} });
	const card = dialog(words.columnsHead, [chosen, more, search, others], { actions: [back] });
	input.focus();
}
