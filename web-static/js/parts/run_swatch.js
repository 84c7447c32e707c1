/* The colour and dash of a run, as a sign beside its name. */

import { paint } from '../chart/palette.js';
import { el } from '../dom.js';
import { dashAt, DASHES, slotOf } from '../runs/slot.js';

export function swatchOf(run, { isBase = false } = {}) {
	const line = { slot: slotOf(run), color: run.color, isBase };
	const look = { class: DASHES[dashAt(line)], style: { color: paint(line) } };
	return el('span', { class: 'swatch', 'aria-hidden': 'true' }, el('i', look));
}
