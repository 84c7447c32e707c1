/* The colour and dash of a run, as a sign beside its name. */

import { el } from '../base/dom.js';
import { paint } from '../base/palette.js';
import { dashAt, DASHES, slotOf } from '../base/slot.js';

/* A piece of the line as charts draw it. */
export function strokeOf(line) {
	return el('i', { class: `stroke ${DASHES[dashAt(line)]}`.trim(), style: { color: paint(line) } });
}

export function swatchOf(run, { isBase = false } = {}) {
	return el('span', { class: 'swatch', 'aria-hidden': 'true' }, strokeOf({ slot: slotOf(run), color: run.color, isBase }));
}
