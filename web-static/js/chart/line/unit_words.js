/* Values of system metrics as they are read, and the range that fits their unit. */

import { number } from '../../base/format.js';
import { niceStep } from './axis.js';
import { scaleOf } from './units.js';

const FROM_ZERO = ['bytes/s', 'count', '']; /* rates, counts, and what has no unit */
const LEAST_SPAN = 0.1; /* of the greatest value: noise does not fill an axis */
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

/*
 * Returns the range of an axis: the values between two round ones, in a span that noise does not fill. Rates and counts
 * begin at zero. Per cent stay within 0 and 100 as long as the values do.
 */
export function rangeOf(unit, low, high) {
	if (!(low <= high)) return unit === '%' ? [0, 100] : [0, 1];
	if (FROM_ZERO.includes(unit)) return [Math.min(0, low), high > 0 ? high * 1.06 : 1];
	const { size } = scaleOf(unit, Math.max(Math.abs(low), Math.abs(high)));
	const [least, most] = [low >= 0 ? 0 : -Infinity, unit === '%' && high <= 100 ? 100 : Infinity];
	const [from, to] = [low / size, high / size];
	const span = Math.max(to - from, Math.abs(to) * LEAST_SPAN, unit === 'bytes' ? 0 : 1) || 1;
	const step = niceStep(span, 4);
	let [first, last] = [Math.floor(from / step), Math.ceil(to / step)];
	for (let isUp = true; (last - first) * step < span * 0.999; isUp = !isUp) {
		if (last * step < most && (isUp || first * step <= least)) last++;
		else first--;
	}
	return [Math.max(least, first * step * size), Math.min(most, last * step * size)];
}
