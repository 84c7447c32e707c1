/* A list of names of which one is chosen, in the head of a card. */

import { el, replace } from '../base/dom.js';

/* {node, update(names, chosen)}: the options stay while they are the same. */
export function choice(label, onpick) {
	const select = el('select', { 'aria-label': label, onchange: () => onpick(select.value) });
	let drawn = '';

	function update(names, chosen) {
		const essence = JSON.stringify(names);
		if (essence !== drawn) replace(select, names.map((name) => el('option', { value: name }, name)));
		drawn = essence;
		select.value = chosen;
	}

	return { node: el('label', { class: 'btn choice' }, el('span', { 'aria-hidden': 'true' }, label), select), update };
}
