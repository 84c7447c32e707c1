/*
 * Parts of a drawing that are runs (those with data-run): the one that is pointed at is in focus on the whole page, and
 * beside the one in focus the others fade.
 */

import { inFocus, focusRun, onFocus } from '../../base/focus.js';

/* {dim(), when something else was drawn; stop()}. */
export function runFocus(node) {
	function dim() {
		const focused = inFocus();
		for (const one of node.querySelectorAll('[data-run]'))
			one.classList.toggle('faded', focused !== null && one.dataset.run !== focused);
	}

	node.addEventListener('pointerover', (event) =>
		focusRun(event.target.closest('[data-run]')?.dataset.run ?? null),
	);
	node.addEventListener('pointerleave', () => focusRun(null));
	return { dim, stop: onFocus(dim) };
}
