/* A few buttons in a row, of which one is chosen. */

import { el } from '../base/dom.js';

export function setSegment(node, value) {
	for (const one of node.children) one.setAttribute('aria-pressed', String(one.dataset.value === String(value)));
}

/* options: [[value, word], …] or words alone. */
export function segmented(label, options, chosen, onpick) {
	const node = el('div', { class: 'seg', role: 'group', 'aria-label': label });
	for (const [value, word] of options.map((one) => Array.isArray(one) ? one : [one, one])) {
		node.append(el('button', { type: 'button', 'data-value': value, onclick: () => {
			setSegment(node, value);
			onpick?.(value);
		} }, word));
	}
	setSegment(node, chosen);
	return node;
}
