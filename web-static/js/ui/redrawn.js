/* Nodes that are drawn again when the data they are drawn from has changed. */

import { el, replace } from '../base/dom.js';
import { pressGuard } from './press_guard.js';

function byKey(node, key) {
	return node.querySelector(`[data-key="${CSS.escape(key)}"]`);
}

/* Keeps the focus on the node with the same data-key, and the scroll positions of tables. */
function keepPlace(node, change) {
	const held = node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
	const wraps = [...node.querySelectorAll('.table-wrap[data-key]')];
	const places = wraps.map((wrap) => [wrap.dataset.key, wrap.scrollLeft, wrap.scrollTop]);
	change();
	for (const [key, left, top] of places) byKey(node, key)?.scrollTo({ left, top, behavior: 'instant' });
	if (held) byKey(node, held)?.focus({ preventScroll: true });
}

/* {node, update}: draw() gives nodes, essence() what they are made of. What is being clicked is not drawn again. */
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
