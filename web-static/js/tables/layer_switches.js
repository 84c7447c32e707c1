/* Switches of the boxes and masks of images: of a layer, and of a class in it. */

import { el } from '../base/dom.js';
import { HUES } from '../base/slot.js';
import { text } from '../text/tables.js';
import { colorOf } from './image_layers.js';

const words = text.tables;

function switchOf(label, { isOn = true, onchange }) {
	const control = el('input', { type: 'checkbox', checked: isOn, onchange: () => onchange(control.checked) });
	return el('label', { class: 'layer-switch' }, control, label);
}

/* layer: as of layersOf; onchange(isOn). */
export const layerSwitch = ({ kind, name }, options) => switchOf(words.layerNames[kind](name), options);

/* Class 0 is the background: of boxes it has a colour, of masks none. */
export function classSwitch(id, name, options) {
	return switchOf([el('i', { class: 'class-color', style: { background: id === 0 ? 'none' : `var(--s${colorOf(id, HUES)})` } }),
		el('span', { dir: 'auto' }, name)], options);
}
