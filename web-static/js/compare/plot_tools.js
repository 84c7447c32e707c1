/* Controls above the plots that choose what is drawn. */

import { el, replace } from '../base/dom.js';
import { listText } from '../base/query_text.js';
import { spansDecades } from '../chart/data/scale.js';
import { chosenFor, withChosen } from '../chart/kinds/pareto.js';
import { text } from '../text/plots.js';
import { iconButton, toggle } from '../ui/controls.js';
import { keyField } from '../ui/key_field.js';
import { AXES, LINEAR } from './view.js';

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

/* Whether an axis of a parallel plot is logarithmic: as chosen, else if its values span decades. */
export function isLogAxis({ isLogY, isLinear }, values) {
	const isPositive = () => values.every((value) => value === undefined || value > 0);
	return !isLinear && (spansDecades(values) || (isLogY && isPositive()));
}

/* axes: values of each. */
export function parallelLogToggle(axes, chosen, set) {
	return toggle(words.log('y'), chosen.isLogY || axes.some((values) => isLogAxis(chosen, values)),
		(on) => set({ slog: on ? 'y' : LINEAR }));
}

/* Which way is better along an axis: as chosen for its key, or as defined for it. */
export function betterChoice(axis, { name, direction }, said, set) {
	const chosen = chosenFor(said, name) ?? '';
	const [label, known] = [words.better(axis), words.betters.find(([better]) => better === direction)?.[1]];
	const control = el('select', { 'aria-label': label, onchange: () => {
		const { lower, higher } = withChosen(said, name, control.value);
		set({ lower: listText(lower) || null, higher: listText(higher) || null });
	} }, [['', words.asKnown(known)], ...words.betters].map(([value, word]) =>
		el('option', { value, selected: value === chosen }, word)));
	return el('label', { class: 'btn choice' }, el('span', { 'aria-hidden': 'true' }, label), control);
}

/* names: of the axes; left: of which there is none. */
export function axisChips(names, left, set) {
	const setAxes = (axes) => set({ axes: listText(axes) || null });
	return [el('span', { class: 'muted' }, words.axes),
		names.map((name) => el('span', { class: 'chip' }, el('bdi', { class: 'clip' }, name),
			iconButton('close', words.removeAxis(name), { class: 'ibtn small', disabled: names.length < 3,
				onclick: () => setAxes(names.filter((one) => one !== name)) }))),
		names.length < AXES && left.length > 0 && keyField(left, '', (name) => setAxes([...names, name]), words.addAxis)];
}

/*
 * {node, draw(essence, make)}: controls stay while their choices are the same; else the
 * focus moves to the control that takes their place.
 */
export function plotTools() {
	const node = el('div', { class: 'plot-tools' });
	const controls = () => [...node.querySelectorAll('input, button, select')];
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
