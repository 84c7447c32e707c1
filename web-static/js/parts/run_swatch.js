/* The colour and dash of a run, as a sign beside its name. */

import { el } from '../dom.js';
import { colorOf, DASHES, slotOf } from '../runs/slot.js';

export function swatchOf(run) {
	const { own, hue, dash } = colorOf({ slot: slotOf(run), color: run.color });
	const look = { class: DASHES[dash], style: { color: own || `var(--s${hue + 1})` } };
	return el('span', { class: 'swatch', 'aria-hidden': 'true' }, el('i', look));
}
