/* The reference lines of a panel, edited in a dialog: at a value or a step, each with a name. */

import { el } from '../../base/dom.js';
import { rowEditor } from '../../list/key_rows.js';
import { text as common } from '../../text/common.js';
import { text } from '../../text/panels.js';
import { formDialog } from '../../ui/form_dialog.js';
import { REF_LABEL, REFS_MOST } from './layout.js';

const words = text.refs;

const isAt = (at) => String(at).trim() !== '' && Number.isFinite(Number(at));

function rowOf(row, change) {
	const axis = el('select', { 'aria-label': words.axis, onchange: () => change({ axis: axis.value }) },
		words.axes.map(([value, name]) => el('option', { value, selected: value === row.axis }, name)));
	const at = el('input', { 'aria-label': words.at, inputmode: 'decimal', value: row.at, size: 8, autocomplete: 'off',
		oninput: () => change({ at: at.value }) });
	const label = el('input', { 'aria-label': words.label, value: row.label, maxlength: REF_LABEL, autocomplete: 'off',
		oninput: () => change({ label: label.value }) });
	return [axis, at, label];
}

/* onset(refs): as layout.js has them; none is undefined. */
export function editRefs(refs, onset) {
	const fresh = () => ({ axis: 'y', at: '', label: '' });
	const given = refs.length ? refs : [fresh()];
	const rows = rowEditor({ rows: given, draw: rowOf, most: REFS_MOST, add: words.add, fresh });
	formDialog(words.head, [el('p', { class: 'soft' }, words.how), rows.node], { go: common.form.apply, wide: true, onsend() {
		const next = rows.rows().filter(({ at, label }) => String(at).trim() !== '' || label);
		if (!next.every(({ at }) => isAt(at))) return words.wrong;
		onset(next.length ? next.map(({ axis, at, label }) => ({ axis, at: Number(at), label })) : undefined);
		return '';
	} });
}
