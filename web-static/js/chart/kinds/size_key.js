/* Key to the sizes of points: the least and the greatest size with their values, and the name of the key they show. */

import { svg } from '../../base/dom.js';
import { number } from '../../base/format.js';

export const LETTER_PX = 6.5;
const GAP = 6;

/* The end of a name, which tells more of a key than its beginning, as far as there is room. */
export function cut(name, px, letterPx = LETTER_PX) {
	const letters = Math.max(1, Math.floor(px / letterPx));
	return name.length > letters ? `…${letters > 1 ? name.slice(1 - letters) : ''}` : name;
}

/* sizes: of sizesOf; y: of the middle; width: up to where there is room. */
export function sizeKey({ low, high, radiusOf }, name, { y, width }) {
	let x = GAP;
	const ends = (low === high ? [low] : [low, high]).map((value) => {
		const [r, label] = [radiusOf(value), number(value)];
		const circle = svg('circle', { class: 'size-end', cx: x + r, cy: y, r });
		x += 2 * r + GAP;
		const said = svg('text', { x, y: y + 4 }, label);
		x += label.length * LETTER_PX + 2 * GAP;
		return [circle, said];
	});
	return svg('g', { class: 'size-key' }, ends, svg('text', { x, y: y + 4 }, svg('title', {}, name),
		cut(name, width - x - 2 * GAP)));
}
