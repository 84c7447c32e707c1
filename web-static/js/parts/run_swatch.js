/* The colour and dash of a run, as a sign beside its name. */

import { el } from '../dom.js';
import { hueAndDash, slotOf } from '../runs/slot.js';

const DASHES = ['', 'dash', 'dot'];

export function swatchOf(run) {
	const { hue, dash } = hueAndDash(slotOf(run));
	const look = { class: DASHES[dash], style: { color: run.color || `var(--s${hue + 1})` } };
	return el('span', { class: 'swatch', 'aria-hidden': 'true' }, el('i', look));
}
