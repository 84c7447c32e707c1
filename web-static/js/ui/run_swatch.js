/* The colour and dash of a run, shown next to its name. */

import { el } from '../base/dom.js';
import { paint } from '../base/palette.js';
import { dashAt, slotOf, STROKES } from '../base/slot.js';

/* A piece of the line as charts draw it. */
export function strokeOf(line) {
	return el('i', { class: `stroke ${STROKES[dashAt(line)]}`.trim(), style: { color: paint(line) } });
}

export function swatchOf(run, { isBase = false } = {}) {
	return el('span', { class: 'swatch', 'aria-hidden': 'true' }, strokeOf({ slot: slotOf(run), color: run.color, isBase }));
}
