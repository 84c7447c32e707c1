/* Values of system metrics as they are read, and the range that fits their unit. */

import { number } from '../../base/format.js';
import { niceStep } from './axis.js';
import { scaleOf } from './units.js';

const ROUND_LOW = ['W', '°C', 'MHz'];
const DIGITS = 3;

function rounded(value) {
	return number(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(DIGITS)));
}

export function shown(value, unit) {
	const { size, name } = scaleOf(unit, value);
	return name ? `${rounded(value / size)} ${name}` : rounded(value / size);
}

/* "79–82 %", both in the unit of the greater. */
export function shownRange(low, high, unit) {
	const { size, name } = scaleOf(unit, Math.max(Math.abs(low), Math.abs(high)));
	const span = low === high ? rounded(low / size) : `${rounded(low / size)}–${rounded(high / size)}`;
	return name ? `${span} ${name}` : span;
}

/* Per cent are of all there is; watts, degrees and clocks begin at a round low; the rest at zero. */
export function rangeOf(unit, low, high) {
	if (!(low <= high)) return unit === '%' ? [0, 100] : [0, 1];
	if (unit === '%') return [Math.min(0, low), Math.max(100, high)];
	if (!ROUND_LOW.includes(unit)) return [Math.min(0, low), high > 0 ? high * 1.06 : 1];
	const step = niceStep(Math.max(high - low, Math.abs(high) * 0.1, 1), 4);
	return [Math.floor(low / step) * step, Math.ceil(high / step) * step];
}
