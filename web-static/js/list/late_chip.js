/* That rows came for a run after its end; null where none did. look 'short': where there is little room. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text.js';
import { lateRows } from './model/late_rows.js';

const words = text.lateRows;

export function lateChip(run, look = '') {
	const rows = lateRows(run);
	if (!rows) return null;
	return el('span', { class: `chip late-rows ${look}`.trim(), title: words.why(count(rows)) },
		look === 'short' ? words.short(count(rows)) : words.chip(count(rows)));
}
