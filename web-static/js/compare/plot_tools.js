/* What plots are chosen with, above them. */

import { el, replace } from '../dom.js';
import { iconButton, toggle } from '../parts/controls.js';
import { keyField } from '../run/key_field.js';
import { text } from '../text.js';
import { AXES } from './view.js';
import { keysText } from './keys_text.js';

const words = text.plots;

export function labelled(name, control) {
	return el('span', { class: 'plot-choice' }, el('span', { class: 'muted', 'aria-hidden': 'true' }, name), control);
}

/* One axis or both have a logarithm: as the address has it. */
export function logToggle(letter, { isLogX, isLogY }, set) {
	return toggle(words.log(letter), { x: isLogX, y: isLogY }[letter], (on) => {
		const letters = { x: isLogX, y: isLogY, [letter]: on };
		set({ slog: `${letters.x ? 'x' : ''}${letters.y ? 'y' : ''}` || null });
	});
}

/* names: of the axes; left: of which there is none. */
export function axisChips(names, left, set) {
	const setAxes = (axes) => set({ axes: keysText(axes) });
	return [el('span', { class: 'muted' }, words.axes),
		names.map((name) => el('span', { class: 'chip' }, el('bdi', { class: 'clip' }, name),
			iconButton('close', words.removeAxis(name), { class: 'ibtn small', disabled: names.length < 3,
				onclick: () => setAxes(names.filter((one) => one !== name)) }))),
		names.length < AXES && left.length > 0 && keyField(left, '', (name) => setAxes([...names, name]), words.addAxis)];
}

/*
 * {node, draw(essence, make)}: what somebody chooses in stays, as long as there is the same to choose of; else the
 * focus goes to what stands there now.
 */
export function plotTools() {
	const node = el('div', { class: 'plot-tools' });
	const controls = () => [...node.querySelectorAll('input, button')];
	let drawn = '';
	return {
		node,
		draw(essence, make) {
			if (drawn === essence) return;
			const held = controls().indexOf(document.activeElement);
			drawn = essence;
			replace(node, make());
			if (held >= 0) controls()[Math.min(held, controls().length - 1)]?.focus();
		},
	};
}
