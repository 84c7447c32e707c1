/* Tabs are links: each is an address. Items: {id, name, href, count?, warn?}. */

import { el } from '../base/dom.js';
import { icon } from './icons.js';

export function tabs(label, items, current) {
	return el('nav', { class: 'tabs', 'aria-label': label }, items.map((item) =>
		el('a', { href: item.href, 'aria-current': item.id === current ? 'page' : null }, item.name,
			item.count !== undefined && el('span', { class: 'count' }, item.count),
			item.warn && el('span', { class: 'warn' }, icon('warn'), item.warn))));
}
