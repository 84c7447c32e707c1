/* The colour and dash of a run: of its slot, 8 hues times 3 dashes, or one of its own. */

import { css, themeNow } from './dom.js';
import { colorOf, dashAt } from './slot.js';

const DASHES = [[], [7, 4], [2, 3], [14, 3, 2, 3]]; /* of STROKES */

/* As a value of a style property. */
export function paint(line) {
	const { own, tint, hue } = colorOf(line);
	if (tint === 'none') return 'var(--tint-none)';
	if (tint) return `color-mix(in srgb, rgb(var(--tint-low)), rgb(var(--tint-high)) ${tint}%)`;
	return own || `var(--s${hue + 1})`;
}

const partsOf = (color) => color.split(' ').map(Number);

/* Mixes two colours in the form of the theme, "red green blue"; returns #rrggbb. Pure. */
export function mixed(from, to, share) {
	const [a, b] = [partsOf(from), partsOf(to)];
	return `#${a.map((part, at) => Math.round(part + (b[at] - part) * share).toString(16).padStart(2, '0')).join('')}`;
}

/* Colours are read once per theme, because reading one makes the browser compute styles. */
const hues = { theme: null, known: new Map() };

function themed({ tint, hue }) {
	if (tint === 'none') return css('--tint-none');
	return tint ? mixed(css('--tint-low'), css('--tint-high'), tint / 100) : css(`--s${hue + 1}`);
}

function toneOf(tone) {
	const name = tone.tint ?? -1 - tone.hue;
	const theme = themeNow();
	if (theme !== hues.theme) Object.assign(hues, { theme, known: new Map() });
	if (!hues.known.has(name)) hues.known.set(name, themed(tone));
	return hues.known.get(name);
}

/* For a canvas, which knows no variables; alpha from 0 to 1. */
export function ink(line, alpha = 1) {
	const tone = colorOf(line);
	return (tone.own || toneOf(tone)) + Math.round(alpha * 255).toString(16).padStart(2, '0');
}

export const dashOf = (line) => DASHES[dashAt(line)];
