/* What is drawn anew when what it is drawn from has changed. */

import { el, replace } from '../base/dom.js';
import { pressGuard } from './press_guard.js';

function byKey(node, key) {
	return node.querySelector(`[data-key="${CSS.escape(key)}"]`);
}

/* Where the focus was, by data-key, it is again, and tables are scrolled as they were. */
function keepPlace(node, change) {
	const held = node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
	const wraps = [...node.querySelectorAll('.table-wrap[data-key]')];
	const places = wraps.map((wrap) => [wrap.dataset.key, wrap.scrollLeft, wrap.scrollTop]);
	change();
	for (const [key, left, top] of places) byKey(node, key)?.scrollTo({ left, top, behavior: 'instant' });
	if (held) byKey(node, held)?.focus({ preventScroll: true });
}

/* {node, update}: draw() gives nodes, essence() what they are made of. What is being clicked is not drawn anew. */
export function redrawn(essence, draw) {
	const node = el('div', { class: 'redrawn' });
	const isPressed = pressGuard(node, update);
	let drawn = null;

	function update() {
		const now = JSON.stringify(essence());
		if (now === drawn || isPressed()) return;
		drawn = now;
		keepPlace(node, () => replace(node, draw()));
	}

	update();
	return { node, update };
}
