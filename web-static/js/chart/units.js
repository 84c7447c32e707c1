/* Values of system metrics as they are read, and the axis that fits their unit. */

import { linearTicks, niceStep } from './axis.js';
import { number } from '../format.js';

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const BYTES = { bytes: '', 'bytes/s': '/s' };
const ROUND_LOW = ['W', '°C', 'MHz'];
const DIGITS = 3;

const isBytes = (unit) => Object.hasOwn(BYTES, unit);

/* {size, name}: what values up to `most` are told in. */
export function scaleOf(unit, most) {
	if (!isBytes(unit)) return { size: 1, name: unit === 'count' ? '' : unit };
	const at = Math.max(0, Math.min(SIZES.length - 1, Math.floor(Math.log2(Math.max(1, Math.abs(most))) / 10)));
	return { size: 1024 ** at, name: SIZES[at] + BYTES[unit] };
}

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

/* Round in the unit that is shown, so that 64 GiB is a mark, and 68,719,476,736 is none. */
export function unitTicks(unit, low, high, count) {
	const { size } = scaleOf(unit, Math.max(Math.abs(low), Math.abs(high)));
	return linearTicks(low / size, high / size, count).map((mark) => mark * size);
}

export function unitLabels(unit, marks) {
	const { size, name } = scaleOf(unit, Math.max(...marks.map(Math.abs)));
	return marks.map((mark) => {
		const told = number(Number((mark / size).toPrecision(6)));
		return unit === '%' ? `${told}%` : isBytes(unit) ? `${told} ${name}` : told;
	});
}
