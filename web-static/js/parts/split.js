/*
 * A list at the left and what belongs to it at the right, with an edge between that is dragged or moved by arrows. On a
 * narrow screen one of the two is seen, by a switch.
 */

import { el } from '../dom.js';
import { text } from '../text.js';
import { segmented } from './controls.js';

const words = text.workspace;
const STORED = 'cairn-list-width';
const [LEAST, MOST, FIRST, STEP] = [280, 900, 468, 20];

function storedWidth() {
	try {
		return Number(localStorage.getItem(STORED)) || FIRST;
	} catch {
		return FIRST;
	}
}

function storeWidth(width) {
	try {
		localStorage.setItem(STORED, String(width));
	} catch { /* storage is switched off: it is as wide as ever the next time */ }
}

export function split(left, right) {
	let width = storedWidth();
	const edge = el('div', { class: 'split-edge', role: 'separator', tabindex: 0, 'aria-orientation': 'vertical', 'aria-label': words.split,
		'aria-valuemin': LEAST, 'aria-valuemax': MOST });
	const side = el('div', { class: 'side' }, left);
	const both = el('div', { class: 'split', 'data-show': 'runs' }, side, edge, el('div', { class: 'content' }, right));
	const pick = segmented(words.viewsLabel, [['runs', words.views[0]], ['charts', words.views[1]]], 'runs', (which) => {
		both.dataset.show = which;
	});

	function widen(to) {
		width = Math.round(Math.min(Math.max(to, LEAST), MOST));
		side.style.setProperty('--side', `${width}px`);
		edge.setAttribute('aria-valuenow', String(width));
	}

	edge.addEventListener('keydown', (event) => {
		const by = { ArrowLeft: -STEP, ArrowRight: STEP, Home: LEAST - width, End: MOST - width }[event.key];
		if (by === undefined) return;
		event.preventDefault();
		widen(width + by);
		storeWidth(width);
	});
	edge.addEventListener('pointerdown', (event) => {
		const from = width - event.clientX;
		const move = (now) => widen(from + now.clientX);
		event.preventDefault();
		edge.setPointerCapture(event.pointerId);
		edge.addEventListener('pointermove', move);
		edge.addEventListener('lostpointercapture', () => {
			edge.removeEventListener('pointermove', move);
			storeWidth(width);
		}, { once: true });
	});
	widen(width);
	return el('div', { class: 'split-page' }, el('div', { class: 'mobile-switch' }, pick), both);
}
