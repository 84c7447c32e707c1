/* A value of a table as text: as the grid shows it, and as files have it. Pure. */

import { count, number } from '../base/format.js';
import { zonedMoment } from '../base/moments.js';
import { plainText } from './table.js';

export const LETTERS = 300; /* shown of a cell */

/* Whole, as a copy has it. */
export function wholeText(value, kind) {
	if (kind === 'time' && Number.isFinite(value)) return zonedMoment(value);
	return value === null ? '' : plainText(value);
}

function shownNumber(value) {
	if (Number.isNaN(value)) return 'NaN';
	if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
	return Number.isInteger(value) ? count(value) : number(value);
}

export function shownText(value, kind) {
	if (value === null) return '—';
	if (typeof value === 'number' && kind !== 'time') return shownNumber(value);
	return wholeText(value, kind).slice(0, LETTERS);
}
