/* The axis of values that have a unit. */

import { number } from '../../base/format.js';
import { linearTicks } from './axis.js';

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const BYTES = { bytes: '', 'bytes/s': '/s' };

const isBytes = (unit) => Object.hasOwn(BYTES, unit);

/* {size, name}: what values up to `most` are shown in. */
export function scaleOf(unit, most) {
	if (!isBytes(unit)) return { size: 1, name: unit === 'count' ? '' : unit };
	const at = Math.max(0, Math.min(SIZES.length - 1, Math.floor(Math.log2(Math.max(1, Math.abs(most))) / 10)));
	return { size: 1024 ** at, name: SIZES[at] + BYTES[unit] };
}

/* Round in the unit that is shown, so that 64 GiB is a mark, and 68,719,476,736 is none. */
export function unitTicks(unit, low, high, count) {
	const { size } = scaleOf(unit, Math.max(Math.abs(low), Math.abs(high)));
	return linearTicks(low / size, high / size, count).map((mark) => mark * size);
}

export function unitLabels(unit, marks) {
	const { size, name } = scaleOf(unit, Math.max(...marks.map(Math.abs)));
	return marks.map((mark) => {
		const shown = number(Number((mark / size).toPrecision(6)));
		return unit === '%' ? `${shown}%` : isBytes(unit) ? `${shown} ${name}` : shown;
	});
}
