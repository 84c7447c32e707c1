/* Marks of an axis: their places and their labels. */

import { clock, day, zoneOf } from '../../base/moments.js';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;
const TIMES = [1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
	HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 90 * DAY, 365 * DAY];

/* The least of 1, 2, 5 times a power of ten that makes at most `count` parts. */
export function niceStep(span, count) {
	const rough = span / Math.max(1, count);
	if (!(rough > 0) || !Number.isFinite(rough)) return 1;
	const power = 10 ** Math.floor(Math.log10(rough));
	const times = [1, 2, 5, 10].find((n) => n * power >= rough * 0.999) || 10;
	return Number((times * power).toPrecision(12)); /* as it is written: uPlot knows steps by their digits */
}

function everyStep(low, high, step, shift = 0) {
	const marks = [];
	const first = Math.ceil((low + shift) / step - 1e-9);
	for (let i = first; marks.length < 200; i++) {
		const mark = i * step - shift;
		if (!(mark <= high + step * 1e-9)) break;
		marks.push(Object.is(mark, -0) ? 0 : Number(mark.toPrecision(14)));
	}
	return marks;
}

export function linearTicks(low, high, count) {
	return everyStep(low, high, niceStep(high - low, count));
}

function powers(low, high, each, times) {
	const first = Math.ceil(Math.floor(Math.log10(low)) / each) * each;
	const marks = [];
	for (let power = first; power <= Math.ceil(Math.log10(high)); power += each) marks.push(...times.map((n) =>
		Number(`${n}e${power}`)));
	return marks.filter((mark) => mark >= low && mark <= high);
}

/*
 * Powers of ten, not all of them where there are many. Where there are few 2 and 5 times them as well, and within one
 * power as many as of a linear axis; unless isWhole.
 */
export function logTicks(low, high, count, isWhole = false) {
	const span = Math.ceil(Math.log10(high)) - Math.floor(Math.log10(low));
	const whole = powers(low, high, Math.max(1, Math.ceil(span / Math.max(1, count))), [1]);
	if (isWhole || (whole.length > 2 && span > 2)) return whole;
	const parts = powers(low, high, 1, [1, 2, 5]);
	return parts.length > 2 ? parts : linearTicks(low, high, Math.min(count, 6));
}

/* Linear around zero, powers of ten beyond `threshold` on both sides. */
export function symlogTicks(low, high, count, threshold) {
	const up = high > threshold ? logTicks(threshold, high, count / 2, true) : [];
	const down = low < -threshold ? logTicks(threshold, -low, count / 2, true).map((mark) => -mark).reverse() : [];
	const marks = [...down, ...(low <= 0 && high >= 0 ? [0] : []), ...up];
	return marks.length > 1 ? marks : linearTicks(low, high, count);
}

/* Returns where the linear part ends: the smallest power of ten that is still visible next to the largest value. */
export function thresholdOf(values) {
	let least = Infinity;
	let most = 0;
	for (const value of values) {
		const size = Math.abs(value);
		if (size > 0 && size < least) least = size;
		if (size > most) most = size;
	}
	if (!most) return 1;
	return 10 ** Math.floor(Math.log10(Math.max(least, most * 1e-6)));
}

/* Returns marks for seconds since 1970, at whole local minutes, hours and days. */
export function timeTicks(low, high, count) {
	const rough = (high - low) / Math.max(1, count);
	const step = TIMES.find((size) => size >= rough) || niceStep(rough, 1);
	const shift = step >= HOUR ? -zoneOf(low * 1000) * MINUTE : 0;
	return rough < 1 ? linearTicks(low, high, count) : everyStep(low, high, step, shift);
}

/* ".25" of a second, with as many digits as marks that are `step` apart need; at most milliseconds. */
function fraction(ms, step) {
	const digits = Math.min(3, Math.ceil(-Math.log10(step) - 1e-6));
	return digits > 0 ? (ms % 1000 / 1000).toFixed(digits).slice(1) : '';
}

export function timeLabels(marks) {
	const step = marks.length > 1 ? marks[1] - marks[0] : 1;
	return marks.map((mark) => {
		const ms = Math.round(mark * 1000);
		const isDay = step >= DAY || (ms % 1000 === 0 && clock(ms) === '00:00:00');
		return isDay ? day(ms).replace(/^\d+-/, '') : clock(ms, step < MINUTE) + fraction(ms, step);
	});
}

/* Returns marks for durations in seconds. */
export function spanTicks(low, high, count) {
	const rough = (high - low) / Math.max(1, count);
	const step = rough >= 1 && TIMES.find((size) => size >= rough);
	return step ? everyStep(low, high, step) : linearTicks(low, high, count);
}

export function spanLabels(marks) {
	const step = marks.length > 1 ? marks[1] - marks[0] : 1;
	const [size, unit] = step >= DAY
		? [DAY, 'd'] : step >= HOUR ? [HOUR, 'h'] : step >= MINUTE ? [MINUTE, 'min'] : [1, 's'];
	return marks.map((mark) => mark === 0 ? '0' : `${Number((mark / size).toPrecision(4))} ${unit}`);
}
