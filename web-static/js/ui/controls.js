/* Small controls that every page uses. */

import { el } from '../base/dom.js';
import { stateWord } from '../text/common.js';
import { hasIcon, icon } from './icons.js';

export { menu } from './menu.js';
export { toast } from './toast.js';

/* look: words of parts.css, as 'primary', 'plain small', 'danger'. */
export function button(label, { name, look = '', ...props } = {}) {
	return el('button', { type: 'button', class: `btn ${look}`.trim(), ...props }, name && icon(name), label);
}

export function iconButton(name, label, props) {
	return el('button', { type: 'button', class: 'ibtn', 'aria-label': label, title: label, ...props }, icon(name));
}

export function setToggle(node, on) {
	node.setAttribute('aria-checked', String(on));
}

export function toggle(label, on, onchange, props) {
	const node = el('button', { type: 'button', class: 'switch', role: 'switch', ...props, onclick: () => {
		const next = node.getAttribute('aria-checked') !== 'true';
		setToggle(node, next);
		onchange?.(next);
	} }, el('i'), label);
	setToggle(node, on);
	return node;
}

/* A field to search in: the label is for those who cannot see it; node.control is the input. */
export function field(name, label, { key, look = '', ...props } = {}) {
	return el('label', { class: `field ${look}`.trim() }, icon(name), el('span', { class: 'sr' }, label),
		el('input', { type: 'search', placeholder: label, spellcheck: 'false', autocomplete: 'off', ...props }),
		key && el('kbd', { 'aria-hidden': 'true' }, key));
}

export function card(title, actions, ...body) {
	return el('section', { class: 'card', 'aria-label': title },
		el('header', {}, el('h2', {}, title), el('span', { class: 'grow' }), actions), body);
}

/* A state is always a shape and a word; the colour only helps. */
export function stateBadge(state, look = '') {
	return el('span', { class: `state ${state} ${look}`.trim() }, icon(hasIcon(state) ? state : 'missing'), stateWord(state));
}

/* Tabs are links: each is an address. Items: {id, name, href, count?, warn?}. */
export function tabs(label, items, current) {
	return el('nav', { class: 'tabs', 'aria-label': label }, items.map((item) =>
		el('a', { href: item.href, 'aria-current': item.id === current ? 'page' : null }, item.name,
			item.count !== undefined && el('span', { class: 'count' }, item.count),
			item.warn && el('span', { class: 'warn' }, icon('warn'), item.warn))));
}
