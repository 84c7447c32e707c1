/*
 * Panels moved and sized by keys: `m`, then arrows move it, with Shift they size it; Enter or `m` ends, Esc puts it
 * back. What is done meanwhile is one change, which is undone at once.
 */

import { replace } from '../../base/dom.js';
import { text } from '../../text/panels.js';
import { COLUMNS } from './layout.js';
import { titleOf } from './panel_sections.js';
import { placeOf, sized, stepped } from './panel_step.js';

const words = text.panels;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function sizeOf(node) {
	return {
		w: node.offsetWidth / (node.parentElement.clientWidth / COLUMNS),
		h: node.querySelector('.plot').clientHeight,
	};
}

let ends = null;

function end() {
	ends?.abort();
	ends = null;
}

/* layout: the keeper; sections(), keys(): what there is now. It ends by itself. */
export function moveByKeys(panel, { layout, sections, keys }) {
	end();
	ends = new AbortController();
	const { signal } = ends;
	const tag = `move ${panel.id} ${performance.now()}`;
	let isChanged = false;
	panel.node.classList.add('moving');
	replace(panel.spoken, words.movingHow);
	signal.addEventListener('abort', () => panel.node.classList.remove('moving'));

	function say() {
		const { section, ids, at } = placeOf(sections(), panel.id);
		if (section >= 0)
			replace(panel.spoken, words.placed(panel.name, at + 1, ids.length, titleOf(sections()[section])));
	}

	function change(event) {
		const now = layout.layout();
		const by = STEPS[event.key];
		const next = event.shiftKey
			? sized(now, panel.id, sizeOf(panel.node), by)
			: stepped(now, keys(), sections(), panel.id, by);
		if (next === now) return;
		layout.set(next, tag);
		isChanged = true;
		panel.node.scrollIntoView({ block: 'nearest' });
		panel.node.focus({ preventScroll: true });
		say();
	}

	panel.node.addEventListener('keydown', (event) => {
		if (event.target !== panel.node) return;
		const ways = { Escape: () => isChanged && layout.undo(), Enter: () => {}, m: () => {} };
		if (STEPS[event.key]) change(event);
		else if (ways[event.key]) {
			end();
			ways[event.key]();
		} else return;
		event.preventDefault();
		event.stopPropagation();
	}, { signal, capture: true });
	document.addEventListener('pointerdown', end, { signal });
}
