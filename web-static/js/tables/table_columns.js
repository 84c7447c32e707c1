/* How wide columns are, and which of them are seen. Pure. */

import { shownText } from './cell_text.js';

const MEASURED = 60; /* rows that widths are made by */
const LETTER_PX = 7.2;
const ROOM_PX = 22; /* around the text, with the mark of the order */
const [LEAST, MOST] = [88, 320];
const MEDIA_PX = 150;
const SPARE_PX = 200; /* drawn beside what is seen */

const held = (px) => Math.round(Math.max(LEAST, Math.min(MOST, px)));

function letters(column, rows) {
	let most = column.name.length;
	for (const row of rows) most = Math.max(most, shownText(column.values[row], column.kind).length);
	return most;
}

export function widthOf(column, rowCount) {
	if (column.kind === 'media') return Math.max(MEDIA_PX, held(column.name.length * LETTER_PX + ROOM_PX));
	const rows = Array.from({ length: Math.min(rowCount, MEASURED) }, (_, at) => at);
	return held(letters(column, rows) * LETTER_PX + ROOM_PX);
}

/* Returns the left edge of each column, and the right edge of the last. */
export function offsetsOf(widths, first) {
	const offsets = [first];
	for (const width of widths) offsets.push(offsets.at(-1) + width);
	return offsets;
}

function firstAfter(offsets, px) {
	let [low, high] = [0, offsets.length - 1];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (offsets[middle] > px) high = middle;
		else low = middle + 1;
	}
	return low;
}

/* {from, to}: columns that are in view between two places, and some beside. */
export function seenColumns(offsets, left, right) {
	const count = offsets.length - 1;
	const from = Math.max(0, firstAfter(offsets, left - SPARE_PX) - 1);
	return { from: Math.min(from, Math.max(0, count - 1)), to: Math.min(count, firstAfter(offsets, right + SPARE_PX)) };
}
