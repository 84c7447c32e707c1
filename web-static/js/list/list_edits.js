/* Dialogs that edit the filter, groups, sort order and columns of a list. `list` is as of list_tools.js. */

import { el, field } from '../base/dom.js';
import { narrowed } from '../base/filter_text.js';
import { listed, listText } from '../base/query_text.js';
import { text as common } from '../text/common.js';
import { text } from '../text/list.js';
import { button } from '../ui/controls.js';
import { formDialog } from '../ui/form_dialog.js';
import { segmented } from '../ui/segmented.js';
import { pickColumns } from './column_picker.js';
import { filterRows, groupRows, offerKeys, rowEditor, sortRows } from './key_rows.js';
import { rowsOf, textOf } from './model/filter_rows.js';
import { categoriesFirst, numbersFirst } from './model/key_order.js';
import { HOWS, metricColumn } from './model/metric_column.js';
import { isOfFilter, likeKey, unknownKey } from './model/refused.js';
import { orderText, SORTS_MOST } from './model/run_view.js';

const words = text.workspace;
const WITH_DATA = { text: 'rows>0', json: { rows: { $gt: 0 } } };
const NO_WORKERS = { text: 'job_type!=worker', json: { job_type: { $ne: 'worker' } } };
const METRICS_OFFERED = 250;
const saidOf = new WeakMap(); /* of what keys a dialog has said that no run has one */

/* later, order: as of offerKeys(). */
function editRows(title, editor, known, hint, take, { more = null, later, order } = {}) {
	const rows = rowEditor({ ...editor, rows: editor.rows.length ? editor.rows : [editor.fresh()] });
	const card = formDialog(title, [hint && el('p', { class: 'soft' }, hint), rows.node, more],
		{ go: common.form.apply, wide: true, onsend: () => take(rows.rows()) });
	offerKeys(card.node, known, { later, order });
	card.node.querySelector('form input').select();
	return card;
}

function pointOut(card, key) {
	const inputs = [...card.node.querySelectorAll('input')];
	const found = inputs.find((input) => input.value.trim() === key);
	inputs.forEach((input) => input.setAttribute('aria-invalid', String(input === found)));
	found?.focus();
	return found;
}

/* A button that puts the meant key into the field of the unknown one, and applies the dialog. */
function meantButton(card, input, meant) {
	return button(words.meant(meant), { look: 'small', onclick: () => {
		input.value = meant;
		input.dispatchEvent(new Event('change'));
		card.node.querySelector('form').requestSubmit();
	} });
}

/* Once of each dialog and keys: a run may have it tomorrow. */
async function whoHas(card, list, keys) {
	const of = String(keys);
	if (saidOf.get(card) === of) return '';
	const missing = await list.known.missing(keys);
	if (!missing) return '';
	saidOf.set(card, of);
	const { key, meant } = missing;
	const input = pointOut(card, key);
	return [words.nobodyHas(key), ' ', meant && input && [meantButton(card, input, meant), ' '], words.allTheSame];
}

/* Returns why the server refuses these keys, or that no run has one, as content of the dialog; '' if all is well. */
async function whyNot(card, list, keys, asked) {
	const fault = await list.known.refusal(asked);
	if (!fault || isOfFilter(fault)) return whoHas(card, list, keys);
	const key = unknownKey(fault);
	const input = pointOut(card, key);
	const meant = key && likeKey(key, list.known.keys());
	return [key ? words.unknownKey(key) : common.fault.of(fault), meant && input && [' ', meantButton(card, input, meant)]];
}

function keysOf(rows) {
	return rows.map(({ key }) => key).filter(Boolean);
}

export function editFilter(list) {
	const add = (condition, label) => button(label, { look: 'small', onclick: () => {
		card.close();
		list.set({ filter: narrowed(list.view().filter, [condition]) });
	} });
	const card = editRows(words.filterHead, filterRows(rowsOf(list.view().filter)), list.known, '',
		(rows) => list.set({ filter: textOf(rows) }),
		{ more: el('div', { class: 'row' }, add(WITH_DATA, words.onlyWithData), add(NO_WORKERS, words.withoutWorkers)) });
}

export function editGroup(list) {
	const { group, roles } = list.view();
	const card = editRows(words.groupHead, groupRows(group, roles), list.known, words.groupHint, async (rows) => {
		const named = rows.filter(({ key }) => key);
		const why = named.length ? await whyNot(card, list, keysOf(named), { keys: listText(keysOf(named)) }) : '';
		if (!why) list.set({ group: keysOf(named), roles: named.map(({ role }) => role) });
		return why;
	}, { order: categoriesFirst });
}

/* Returns columns of metrics over a run's rows; the user can type further ones. */
async function metricKeys(list) {
	const metrics = (await list.known.metrics()).slice(0, METRICS_OFFERED);
	return metrics.flatMap((key) => HOWS.map((how) => metricColumn(how, key)));
}

/* Tests the sort keys with the current filter: the server may sort a few runs by a metric, but not all of them. */
export function editSort(list) {
	const { filter } = list.view();
	const given = sortRows(list.view().sort, SORTS_MOST);
	const card = editRows(words.sortHead, given, list.known, words.sortHint, async (rows) => {
		const sort = rows.filter(({ key }) => key);
		const why = sort.length ? await whyNot(card, list, keysOf(sort), { order: orderText(sort), filter }) : '';
		if (!why) list.set({ sort: sort.length ? sort : [{ key: 'created_at', down: true }] });
		return why;
	}, { later: metricKeys(list) });
}

export function editTint(list) {
	const { tint } = list.view();
	const input = el('input', { id: 'tint-by', list: 'known-keys', value: tint, maxlength: 512, autocomplete: 'off' });
	const hint = el('p', { class: 'soft' }, words.tint.hint);
	const card = formDialog(words.tint.head, [hint, field(words.key, input)],
		{ go: common.form.apply, onsend: async () => {
			const tint = input.value.trim();
			const why = tint ? await whyNot(card, list, [tint], { keys: listed(tint) }) : '';
			if (!why) list.set({ tint });
			return why;
		} });
	offerKeys(card.node, list.known, { order: numbersFirst });
	input.select();
}

/* Returns the choice whether numbers also show their change against the first baseline. */
function changeChoice(list) {
	const { base, change } = list.view();
	if (!base.length) return el('p', { class: 'soft' }, words.noBaseline);
	return el('div', { class: 'row' }, el('span', {}, common.change.label),
		segmented(common.change.label, common.change.kinds, change, (kind) => list.set({ change: kind })));
}

export function editColumns(list) {
	pickColumns({ columns: list.columns(), known: list.known, metrics: list.known.metrics(), more: changeChoice(list),
		onchange: (columns) => list.set({ columns }) });
}
