/*
 * A button that opens a menu: arrows, Home, End and first letters move, Esc, Tab and going back close, and the focus
 * comes back.
 * Items: {label, name?, href?, onpick?, isChecked?, isDanger?, why?} or null for a line. `why` says why one cannot.
 */

import { overlay } from '../base/overlays.js';
import { el } from '../base/dom.js';
import { icon } from './icons.js';
import { pressGuard } from './press_guard.js';

const GAP = 4;

function itemNode(item, close) {
	if (!item) return el('hr', { role: 'separator' });
	const isChoice = item.isChecked !== undefined;
	return el(item.href && !item.why ? 'a' : 'button', {
		role: isChoice ? 'menuitemradio' : 'menuitem',
		class: item.isDanger && !item.why ? 'danger' : '',
		type: item.href && !item.why ? null : 'button',
		href: item.why ? null : item.href,
		tabindex: -1,
		title: item.why,
		'aria-disabled': item.why ? 'true' : null,
		'aria-checked': isChoice ? String(item.isChecked) : null,
		onclick: item.why ? null : () => {
			close();
			item.onpick?.();
		},
	}, item.name && icon(item.name), el('span', { class: 'grow' }, item.label), item.key && el('kbd', {}, item.key),
	item.isChecked && icon('ended'));
}

function place(node, anchor) {
	const at = anchor.getBoundingClientRect();
	const size = node.getBoundingClientRect();
	const below = at.bottom + GAP + size.height <= innerHeight || at.top < size.height;
	node.style.setProperty('left', `${Math.max(GAP, Math.min(at.left, innerWidth - size.width - GAP))}px`);
	node.style.setProperty('top', `${below ? at.bottom + GAP : at.top - GAP - size.height}px`);
}

function move(node, event) {
	const items = [...node.querySelectorAll('[role^=menuitem]')];
	const at = items.indexOf(document.activeElement);
	const to = {
		ArrowDown: (at + 1) % items.length, ArrowUp: (at < 1 ? items.length : at) - 1, Home: 0, End: items.length - 1,
	}[event.key];
	const letter = event.key.length === 1 && event.key !== ' ' ? event.key.toLowerCase() : null;
	const next = to !== undefined ? items[to] : letter
		&& [...items.slice(at + 1), ...items].find((one) => one.textContent.toLowerCase().startsWith(letter));
	if (!next) return;
	event.preventDefault();
	next.focus();
}

/* {close, isOpen(), fill(items)}: the focus stays at the item of the same words. */
function open(anchor, items) {
	const node = el('div',
		{ class: 'menu', role: 'menu', 'aria-label': anchor.getAttribute('aria-label') || anchor.textContent });
	const ends = new AbortController();

	function close() {
		if (ends.signal.aborted) return;
		ends.abort();
		removeOverlay();
		const hadFocus = node.contains(document.activeElement);
		node.remove();
		anchor.setAttribute('aria-expanded', 'false');
		if (hadFocus) anchor.focus();
		anchor.dispatchEvent(new CustomEvent('menu-closed', { bubbles: true })); /* what waited for that is drawn */
	}

	function press(event) {
		if (event.key === 'Escape' || event.key === 'Tab') {
			if (event.key === 'Escape') event.preventDefault();
			event.stopPropagation();
			close();
		} else {
			move(node, event);
		}
	}

	let waiting = null;
	const isPressed = pressGuard(node, () => waiting && fill(waiting));

	function fill(next) {
		waiting = isPressed() ? next : null;
		if (waiting) return;
		const said = node.contains(document.activeElement) ? document.activeElement.textContent : null;
		node.replaceChildren(...next.map((item) => itemNode(item, close)));
		if (said === null) return;
		const all = [...node.querySelectorAll('[role^=menuitem]')];
		(all.find((one) => one.textContent === said) ?? all[0])?.focus();
	}

	fill(items);
	node.addEventListener('keydown', press);
	(anchor.closest('dialog') || document.body).append(node);
	place(node, anchor);
	anchor.setAttribute('aria-expanded', 'true');
	node.querySelector('[aria-checked=true], [role^=menuitem]')?.focus();
	addEventListener('pointerdown', (event) => {
		if (!node.contains(event.target) && !anchor.contains(event.target)) close();
	}, { signal: ends.signal, capture: true });
	addEventListener('resize', close, { signal: ends.signal });
	addEventListener('popstate', close, { signal: ends.signal });
	const removeOverlay = overlay(close);
	return { close, fill, isOpen: () => !ends.signal.aborted };
}

/*
 * Makes a menu of a button, which it gives back. `items`: a list, or a function that makes it when it is opened.
 * `fresh`: reads what the items are made of when it is opened; a promise of whether there are others now.
 */
export function menu(anchor, items, fresh = null) {
	let shown = null;

	async function renew(opened) {
		if (await fresh() && opened.isOpen()) opened.fill(items());
	}

	function flip() {
		if (anchor.getAttribute('aria-expanded') === 'true') return shown.close();
		shown = open(anchor, typeof items === 'function' ? items() : items);
		if (fresh) renew(shown);
	}

	anchor.setAttribute('aria-haspopup', 'menu');
	anchor.setAttribute('aria-expanded', 'false');
	anchor.addEventListener('click', flip);
	anchor.addEventListener('keydown', (event) => {
		if (event.key !== 'ArrowDown' || anchor.getAttribute('aria-expanded') === 'true') return;
		event.preventDefault();
		flip();
	});
	return anchor;
}
