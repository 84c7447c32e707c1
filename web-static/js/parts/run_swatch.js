/* The colour and dash of a run, as a sign beside its name. */

import { el } from '../dom.js';
import { colorOf, dashAt, DASHES, slotOf } from '../runs/slot.js';

export function swatchOf(run, { isBase = false } = {}) {
	const line = { slot: slotOf(run), color: run.color, isBase };
	const { own, hue } = colorOf(line);
	const look = { class: DASHES[dashAt(line)], style: { color: own || `var(--s${hue + 1})` } };
	return el('span', { class: 'swatch', 'aria-hidden': 'true' }, el('i', look));
}
