/*
 * Panels moved and sized by the mouse: by the head to another place, by the corner to another size. Nothing is changed
 * before the button is let go; Esc lets everything be.
 */

import { el } from '../../base/dom.js';
import { COLUMNS, heldHeight, heldWidth } from './layout.js';

const HIGH = { 4: 178, 6: 220, 12: 260 }; /* px of a plot, by the width of its panel */
const LEAST_PX = 5; /* a shorter drag is a click */
const EDGE_PX = 40; /* of the scroller: there it scrolls */

/* Follows the pointer until it is let go (`drop`) or given up (`leave`). */
function track(event, { moved, drop, leave }) {
	const ends = new AbortController();
	const { signal } = ends;
	const end = (how) => () => {
		ends.abort();
		how();
	};
	event.target.setPointerCapture(event.pointerId);
	event.target.addEventListener('pointermove', moved, { signal });
	event.target.addEventListener('pointerup', end(drop), { signal });
	event.target.addEventListener('lostpointercapture', end(leave), { signal });
	addEventListener('keydown', (press) => {
		if (press.key !== 'Escape') return;
		press.preventDefault();
		end(leave)();
	}, { signal, capture: true });
}

/* Returns where a dropped panel would go: before another one, or at the end of a section. */
function placeAt(x, y, dragged) {
	const under = document.elementFromPoint(x, y);
	const panel = under?.closest('.panels > .panel');
	const section = under?.closest('[data-section]')?.dataset.section;
	if (section === undefined) return null;
	if (!panel || panel === dragged) return panel ? null : { section, before: null, node: null };
	const { left, width } = panel.getBoundingClientRect();
	const isBefore = x < left + width / 2;
	const before = isBefore ? panel : panel.nextElementSibling;
	return { section, before: before?.dataset.panel ?? null, node: panel, side: isBefore ? 'before' : 'after' };
}

function dragging(event, { scroller, move }) {
	const panel = event.target.closest('.panel');
	let place = null;
	let isMoving = false;

	function mark(next) {
		place?.node?.classList.remove('drop-before', 'drop-after');
		place = next;
		place?.node?.classList.add(`drop-${place.side}`);
	}

	function scroll(y) {
		const { top, bottom } = scroller.getBoundingClientRect();
		if (y < top + EDGE_PX) scroller.scrollTop -= EDGE_PX / 4;
		if (y > bottom - EDGE_PX) scroller.scrollTop += EDGE_PX / 4;
	}

	function leave() {
		mark(null);
		panel.classList.remove('dragged');
	}

	track(event, {
		leave,
		moved({ clientX, clientY }) {
			isMoving ||= Math.hypot(clientX - event.clientX, clientY - event.clientY) >= LEAST_PX;
			if (!isMoving) return;
			panel.classList.add('dragged');
			scroll(clientY);
			mark(placeAt(clientX, clientY, panel));
		},
		drop() {
			const to = place;
			leave();
			if (to) move(panel.dataset.panel, { section: to.section, before: to.before });
		},
	});
}

function sizing(event, { resize }) {
	const panel = event.target.closest('.panel');
	const from = { width: panel.offsetWidth, height: panel.querySelector('.plot').clientHeight };
	const column = panel.parentElement.clientWidth / COLUMNS;
	const before = ['--w', '--h', '--grow'].map((name) => [name, panel.style.getPropertyValue(name)]);
	let size = null;
	track(event, {
		moved({ clientX, clientY }) {
			size = {
				w: heldWidth((from.width + clientX - event.clientX) / column),
				h: heldHeight(from.height + clientY - event.clientY),
			};
			setSize(panel, size);
		},
		leave: () => before.forEach(([name, value]) => panel.style.setProperty(name, value)),
		drop: () => size && resize(panel.dataset.panel, size),
	});
}

export function setSize(node, { w, h }) {
	node.style.setProperty('--w', w ?? '');
	node.style.setProperty('--h', h ? `${h}px` : '');
	node.style.setProperty('--grow', h ? '0' : '');
}

/* The size of a panel that has none of its own: its width where three, and where two panels are in a row. */
export function setFill(node, { three, two }) {
	node.style.setProperty('--three', three);
	node.style.setProperty('--two', two);
	node.style.setProperty('--high', `${HIGH[three]}px`);
}

export const corner = () => el('span', { class: 'corner', 'aria-hidden': 'true' });

/* Makes all panels below `root` movable: move(id, {section, before}), resize(id, {w, h}). */
export function panelDrag(root, does) {
	root.addEventListener('pointerdown', (event) => {
		if (event.button !== 0 || event.pointerType === 'touch' || event.target.closest('button, a, input')) return;
		const start = event.target.closest('.corner')
			? sizing
			: event.target.closest('.panel header')
				? dragging
				: null;
		if (!start) return;
		event.preventDefault();
		start(event, does);
	});
}
