/* Places values on an axis from 0 to 1: numbers, linear or logarithmic, or words next to each other. Pure. */

import { ticks as labelsOf } from '../../base/format.js';
import { keyOf, wordsAmong } from '../../base/value_words.js';

const STEPS = [1, 2, 5, 10];
const WORDS = 30; /* letters of a label */

function isNumber(value) {
	return typeof value === 'number' && Number.isFinite(value);
}

function stepsOf(low, high, most) {
	if (low === high) return [low];
	const rough = (high - low) / Math.max(1, most - 1);
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = power * STEPS.find((one) => one * power >= rough * 0.999999);
	const first = Math.ceil(low / step - 1e-9);
	return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, at) => (first + at) * step);
}

function powersOf(low, high) {
	const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
	if (last <= first) return [low, high];
	const every = Math.ceil((last - first + 1) / 6);
	return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, at) => 10 ** (first + at * every));
}

function numbers(values, isLog, most) {
	const [low, high] = [Math.min(...values), Math.max(...values)];
	const place = isLog ? Math.log10 : (value) => value;
	const [from, size] = [place(low), place(high) - place(low)];
	const at = (value) => !isNumber(value) || (isLog && value <= 0) ? null : size ? (place(value) - from) / size : 0.5;
	const marks = isLog && low < high ? powersOf(low, high) : stepsOf(low, high, most);
	const labels = labelsOf(marks);
	return { kind: 'number', at, ticks: marks.map((value, index) => ({ at: at(value), label: labels[index] })) };
}

function categories(values, most) {
	const unlike = new Map(values.map((value) => [keyOf(value), value]));
	const wordOf = wordsAmong([...unlike.values()]);
	const all = [...unlike].map(([key, value]) => ({ key, word: wordOf(value) })).sort((a, b) => a.word < b.word ? -1 : Number(a.word > b.word));
	const places = new Map(all.map(({ key }, at) => [key, all.length > 1 ? at / (all.length - 1) : 0.5]));
	const every = Math.ceil(all.length / Math.max(most, 2));
	return { kind: 'category',
		at: (value) => value === undefined || value === null ? null : places.get(keyOf(value)) ?? null,
		ticks: all.filter((_, at) =>
			at % every === 0).map(({ key, word }) => ({ at: places.get(key), label: word.slice(0, WORDS) })) };
}

const DECADES = 2; /* so many powers of ten, and an axis is logarithmic without being asked */

/* Returns whether values are positive numbers that span decades. */
export function spansDecades(values) {
	const known = values.filter((value) => value !== undefined && value !== null);
	if (!known.length || !known.every((value) => isNumber(value) && value > 0)) return false;
	return Math.log10(Math.max(...known)) - Math.log10(Math.min(...known)) >= DECADES;
}

const ODD = ['NaN', 'Infinity', '-Infinity']; /* as documents have them: they have no place among numbers */

/* {kind, at(value) -> 0 to 1 or null where it has no place, ticks: [{at, label}]}; `most` ticks, about. */
export function scaleOf(values, { isLog = false, most = 5 } = {}) {
	const known = values.filter((value) => value !== undefined && value !== null);
	const there = known.some(isNumber) ? known.filter((value) => !ODD.includes(value)) : known;
	if (!there.length || !there.every(isNumber)) return categories(there, most);
	const shown = isLog ? there.filter((value) => value > 0) : there;
	return shown.length ? numbers(shown, isLog, most) : { kind: 'number', at: () => null, ticks: [] };
}
