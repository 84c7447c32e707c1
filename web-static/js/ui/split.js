/*
 * A list at the left and what belongs to it at the right, with an edge between that is dragged or moved by arrows. On a
 * narrow screen one of the two is seen, by a switch.
 */

import { el } from '../base/dom.js';
import { text } from '../text/common.js';
import { segmented, setSegment } from './segmented.js';

const words = text.panes;
const [LEAST, MOST, STEP] = [280, 900, 20];
const RUNS = { stored: 'cairn-list-width', first: 468, label: words.split, viewsLabel: words.viewsLabel,
	views: words.views };

function storedWidth({ stored, first }) {
	try {
		return Number(localStorage.getItem(stored)) || first;
	} catch {
		return first;
	}
}

function storeWidth({ stored }, width) {
	try {
		localStorage.setItem(stored, String(width));
	} catch { /* storage is switched off: it is as wide as ever the next time */ }
}

/* The edge by which a side is made wider: dragged, or moved by arrows; Enter and a double click fold it. */
export function splitEdge(side, of, { fold, unfold = () => {}, isFolded = () => false }) {
	let width = storedWidth(of);
	const edge = el('div',
		{ class: 'split-edge', role: 'separator', tabindex: 0, 'aria-orientation': 'vertical', 'aria-label': of.label,
		'aria-valuemin': LEAST, 'aria-valuemax': MOST });

	function widen(to) {
		width = Math.round(Math.min(Math.max(to, LEAST), MOST));
		side.style.setProperty('--side', `${width}px`);
		edge.setAttribute('aria-valuenow', String(width));
	}

	edge.addEventListener('keydown', (event) => {
		if (event.key === 'Enter') return fold();
		const by = { ArrowLeft: -STEP, ArrowRight: STEP, Home: LEAST - width, End: MOST - width }[event.key];
		if (by === undefined) return;
		event.preventDefault();
		unfold();
		widen(width + by);
		storeWidth(of, width);
	});
	edge.addEventListener('dblclick', fold);
	edge.addEventListener('pointerdown', (event) => {
		if (isFolded()) return;
		const from = width - event.clientX;
		const move = (now) => widen(from + now.clientX);
		event.preventDefault();
		edge.setPointerCapture(event.pointerId);
		edge.addEventListener('pointermove', move);
		edge.addEventListener('lostpointercapture', () => {
			edge.removeEventListener('pointermove', move);
			storeWidth(of, width);
		}, { once: true });
	});
	widen(width);
	return edge;
}

/*
 * {node, show('left' | 'right') on a narrow screen, fold(): the left in or out}. `of` says whose width is remembered
 * and what the two are called.
 */
export function split(left, right, of = RUNS) {
	const side = el('div', { class: 'side' }, left);
	const fold = () => both.classList.toggle('folded');
	const edge = splitEdge(side, of,
		{ fold, unfold: () => both.classList.remove('folded'), isFolded: () => both.classList.contains('folded') });
	const both = el('div', { class: 'split', 'data-show': 'left' }, side, edge, el('div', { class: 'content' }, right));
	const pick = segmented(of.viewsLabel, [['left', of.views[0]], ['right', of.views[1]]], 'left', show);

	function show(which) {
		both.dataset.show = which;
		setSegment(pick, which);
	}

	return { node: el('div', { class: 'split-page' }, el('div', { class: 'mobile-switch' }, pick), both), show, fold };
}
