/* The colour and dash of a run: of its slot, 8 hues times 3 dashes, or one of its own. */

import { css, themeNow } from '../dom.js';
import { colorOf, dashAt } from '../runs/slot.js';

const DASHES = [[], [7, 4], [2, 3]];

/* As a value of a style property. */
export function paint(line) {
	const { own, hue } = colorOf(line);
	return own || `var(--s${hue + 1})`;
}

/* What the theme says is asked once a theme: to ask makes the browser work out styles. */
const hues = { theme: null, known: new Map() };

function hueOf(hue) {
	const theme = themeNow();
	if (theme !== hues.theme) Object.assign(hues, { theme, known: new Map() });
	if (!hues.known.has(hue)) hues.known.set(hue, css(`--s${hue + 1}`));
	return hues.known.get(hue);
}

/* For a canvas, which knows no variables; alpha from 0 to 1. */
export function ink(line, alpha = 1) {
	const { own, hue } = colorOf(line);
	return (own || hueOf(hue)) + Math.round(alpha * 255).toString(16).padStart(2, '0');
}

export const dashOf = (line) => DASHES[dashAt(line)];
