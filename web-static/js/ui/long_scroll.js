/*
 * Rows of a list that are higher together than an element can be: the scroll bar then stands for more pixels than it has, and rows are
 * placed where they are seen. Pure.
 */

export const TALLEST = 15000000; /* px; Firefox cuts at 17.9 million, Chromium and Safari at 33.5 million */

/* How many px of rows a px of the scroll bar stands for; 1 if all rows fit. whole: the height of all; room: of what is seen. */
export function paceOf(whole, room) {
	return whole > TALLEST ? (whole - room) / (TALLEST - room) : 1;
}
