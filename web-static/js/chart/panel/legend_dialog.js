/* Asks how lines are called: a pattern of keys, which are offered. */

import { el, field } from '../../base/dom.js';
import { keyList } from '../../list/key_rows.js';
import { text as common } from '../../text/common.js';
import { text } from '../../text/panels.js';
import { button } from '../../ui/controls.js';
import { formDialog } from '../../ui/form_dialog.js';
import { LEGEND_MOST } from './look.js';
import { panelOffers } from './panel_offers.js';

const words = text.legend;

/* place: what panelOffers takes; onset(pattern): '' is the name alone. */
export async function askLegend({ pattern, place, isOfPage, onset }) {
	const plain = { autocomplete: 'off', spellcheck: 'false' };
	const input = el('input',
		{ id: 'legend-pattern', value: pattern, maxlength: LEGEND_MOST, placeholder: words.example, ...plain });
	const key = el('input', { id: 'legend-key', list: 'known-keys', ...plain });
	const put = () => {
		if (!key.value.trim()) return;
		input.value = `${input.value || '{name}'} ${key.value.trim().split('.').at(-1)}={${key.value.trim()}}`;
		key.value = '';
		input.focus();
	};
	const keys = await panelOffers(...place).list('categories');
	formDialog(words.head, [el('p', { class: 'soft' }, isOfPage ? words.ofPage : words.ofPanel), field(words.pattern, input),
		el('div', { class: 'row' }, field(words.key, key), button(words.put, { onclick: put })), keyList(keys)],
	{ go: common.form.apply, wide: true, onsend: () => onset(input.value.trim()) });
	input.select();
}
