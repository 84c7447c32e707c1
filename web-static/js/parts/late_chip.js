/* That rows came for a run after its end; null where none did. look 'short': where there is little room. */

import { el } from '../dom.js';
import { count } from '../format.js';
import { lateRows } from '../runs/late_rows.js';
import { text } from '../text.js';

const words = text.lateRows;

export function lateChip(run, look = '') {
	const rows = lateRows(run);
	if (!rows) return null;
	return el('span', { class: `chip late-rows ${look}`.trim(), title: words.why(count(rows)) },
		look === 'short' ? words.short(count(rows)) : words.chip(count(rows)));
}
