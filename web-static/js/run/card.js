/* Cards with counts, their tables, and those that are drawn anew when what they are drawn from has changed. */

import { el, replace } from '../dom.js';
import { card } from '../parts/controls.js';

export function countedCard(title, count, actions, ...body) {
	const node = card(title, actions, ...body);
	node.querySelector('h2').append(' ', el('span', { class: 'count' }, count));
	return node;
}

/* A table within its card; it scrolls there. `heads` are [name, is a number]. */
export function table(name, heads, rows, props = {}) {
	return el('div', { class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': name },
		el('table', { ...props, class: `table ${props.class || ''}`.trim() },
			heads && el('thead', {}, el('tr', {}, heads.map(([head, isNumber]) => el('th', { scope: 'col', class: isNumber && 'num' }, head)))),
			el('tbody', {}, rows)));
}

/* Where the focus was, by data-key, it is again. */
function keepFocus(node, change) {
	const held = node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
	change();
	if (held) node.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus();
}

/* {node, update}: draw() gives nodes, essence() what they are made of. */
export function redrawn(essence, draw) {
	const node = el('div', { class: 'redrawn' });
	let drawn = null;

	function update() {
		const now = JSON.stringify(essence());
		if (now === drawn) return;
		drawn = now;
		keepFocus(node, () => replace(node, draw()));
	}

	update();
	return { node, update };
}
