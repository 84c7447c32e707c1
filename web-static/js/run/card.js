/* Cards with counts, and their tables. */

import { el } from '../base/dom.js';
import { card } from '../ui/controls.js';

export function countedCard(title, count, actions, ...body) {
	const node = card(title, actions, ...body);
	node.querySelector('h2').append(' ', el('span', { class: 'count' }, count));
	return node;
}

/* A table within its card; it scrolls there. `heads` are [name, is a number]. */
export function table(name, heads, rows, props = {}) {
	return el('div', { class: 'table-wrap', 'data-key': name, tabindex: 0, role: 'region', 'aria-label': name },
		el('table', { ...props, class: `table ${props.class || ''}`.trim() },
			heads && el('thead', {},
				el('tr', {}, heads.map(([head, isNumber]) => el('th', { scope: 'col', class: isNumber && 'num' }, head)))),
			el('tbody', {}, rows)));
}
