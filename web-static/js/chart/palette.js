/* The colour and dash of a run: of its slot, 8 hues times 3 dashes, or one of its own. */

import { css } from '../dom.js';
import { hueAndDash } from '../runs/slot.js';

const DASHES = [[], [7, 4], [2, 3]];
const OWN = /^#[0-9a-f]{6}$/i;

/* As a value of a style property. */
export function paint({ slot, color }) {
	return OWN.test(color || '') ? color : `var(--s${hueAndDash(slot).hue + 1})`;
}

/* What the theme says is asked once a theme: to ask makes the browser work out styles. */
const hues = { theme: null, known: new Map() };

function hueOf(hue) {
	const { theme } = document.documentElement.dataset;
	if (theme !== hues.theme) Object.assign(hues, { theme, known: new Map() });
	if (!hues.known.has(hue)) hues.known.set(hue, css(`--s${hue + 1}`));
	return hues.known.get(hue);
}

/* For a canvas, which knows no variables; alpha from 0 to 1. */
export function ink({ slot, color }, alpha = 1) {
	const base = OWN.test(color || '') ? color : hueOf(hueAndDash(slot).hue);
	return base + Math.round(alpha * 255).toString(16).padStart(2, '0');
}

/* Which of the dashes; `dash` is one of its own, as of the keys of a panel. */
export function dashAt({ slot, color, dash }) {
	if (dash !== undefined) return dash % DASHES.length;
	return OWN.test(color || '') ? 0 : hueAndDash(slot).dash;
}

export const dashOf = (line) => DASHES[dashAt(line)];
