/*
 * One key of thousands, chosen by typing a part of it; a node with choose(key). hints: by key, further words that are shown
 * and searched.
 */

import { el } from '../base/dom.js';
import { text } from '../text/common.js';
import { field } from './controls.js';

const words = text.keyPicker;
const OFFERED = 500;
let number = 0;

export function keyField(keys, chosen, onkey, label = words.key, hints = new Map()) {
	const id = `keys-${++number}`;
	const node = field('search', label, { look: 'key-field', list: id, value: chosen });
	const input = node.querySelector('input');
	const list = el('datalist', { id });

	function offer() {
		const sought = input.value.toLowerCase();
		const isFound = (key) => `${hints.get(key) || ''} ${key}`.toLowerCase().includes(sought);
		list.replaceChildren(...keys.filter(isFound).slice(0, OFFERED)
			.map((key) => el('option', { value: key, label: hints.get(key) })));
	}

	input.addEventListener('input', offer);
	input.addEventListener('change', () => {
		if (keys.includes(input.value)) onkey(chosen = input.value);
		else input.value = chosen;
	});
	input.addEventListener('focus', () => {
		offer();
		input.select();
	});
	/* Another way led to another key. */
	function choose(key) {
		chosen = key;
		if (document.activeElement !== input) input.value = key;
	}

	return Object.assign(el('span', { class: 'key-choice' }, node, list), { choose });
}
