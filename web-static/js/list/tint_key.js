/* The legend if runs are coloured by a key: its name, the range, and how many runs have no number. */

import { el, replace } from '../base/dom.js';
import { number } from '../base/format.js';
import { text } from '../text/list.js';
import { iconButton } from '../ui/controls.js';
import { columnName } from './model/names.js';

const words = text.workspace.tint;

function range({ low, high, isLog }) {
	if (low === null) return [el('span', {}, words.noNumber)];
	return [el('span', {}, number(low)), el('i', { class: 'ramp tint', 'aria-hidden': 'true' }),
		el('span', {}, number(high)), isLog && el('span', {}, words.byPowers)];
}

/* list: {tint(), set(changes)}. {node, update()} */
export function tintKey(list) {
	const node = el('div', { class: 'tint-key', role: 'group', 'aria-label': words.name, hidden: true });
	let drawn = null;

	function update() {
		const tint = list.tint();
		node.hidden = !tint;
		if (!tint || tint === drawn) return;
		drawn = tint;
		const isMissing = tint.low !== null && tint.without > 0;
		replace(node, el('span', { class: 'clip', title: tint.key }, words.by(columnName(tint.key))), range(tint),
			isMissing && [el('i', { class: 'none', 'aria-hidden': 'true' }), el('span', {}, words.without(tint.without))],
			iconButton('close', words.end, { onclick: () => list.set({ tint: '' }) }));
	}

	return { node, update };
}
