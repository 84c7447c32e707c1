/* A card over the page: what is behind it cannot be reached, Esc or going back closes it, the focus comes back. */

import { overlay } from '../base/overlays.js';
import { append, el } from '../base/dom.js';
import { text } from '../text/common.js';
import { icon } from './icons.js';

/*
 * {node, close}. `title` names it and stands on top; without `canClose` only close() ends it. `onclose` is called
 * however it ended.
 */
export function dialog(title, body, { actions, look = '', canClose = true, isTitled = true, onclose } = {}) {
	const node = el('dialog', { class: `dialog ${look}`.trim(), 'aria-label': title });

	/* Removes the focus from the closed dialog: the element that had it before may be gone, and keys would go here. */
	function close() {
		node.close();
		if (node.contains(document.activeElement)) document.activeElement.blur();
	}

	append(node, el('div', { class: 'dialog-card' },
		isTitled && el('header', {}, el('h2', {}, title), el('span', { class: 'grow' }),
			canClose && el('button', { type: 'button', class: 'ibtn', 'aria-label': text.controls.close, onclick: close },
				icon('close'))),
		el('div', { class: 'body' }, body),
		actions && el('footer', {}, actions)));
	node.addEventListener('cancel', (event) => {
		if (event.target !== node) return;
		event.preventDefault();
		if (canClose) close();
	});
	node.addEventListener('click', (event) => {
		if (canClose && event.target === node) close();
	});
	const removeOverlay = canClose ? overlay(close) : () => {};
	node.addEventListener('close', () => {
		removeOverlay();
		node.remove();
		onclose?.();
	});
	document.body.append(node);
	node.showModal();
	return { node, close };
}
