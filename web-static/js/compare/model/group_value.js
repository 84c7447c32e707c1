/* Value that all runs of a group have under a key, for a column next to those of runs. */

import { number, written } from '../../base/format.js';
import { text } from '../../text/compare.js';

const words = text.compare.group;
export const NAMED = 3; /* different values that are named, each with how many runs have it */

/* A column does not tell of the row: it takes no part in what differs. */
export const NOT_TOLD = Object.freeze({});

export class GroupValue {
	/* all: runs of the group; different: values they have, with none as one of them; items: [{value, count}] of some. */
	constructor({ all, different, items = [], numbers = null }) {
		Object.assign(this, { all, different, items, numbers });
	}

	get isSame() {
		return this.different === 1;
	}

	/* The value of all runs, where they have the same. */
	get only() {
		return this.items[0]?.value;
	}

	get mean() {
		return this.numbers?.count ? this.numbers.mean : null;
	}
}

/* Makes a value from numbers only. All runs have the same number if the least equals the greatest. */
export function ofNumbers(all, numbers) {
	const isSame = numbers.count === all && numbers.min === numbers.max;
	return new GroupValue({ all, numbers, different: isSame ? 1 : 2,
		items: isSame ? [{ value: numbers.min, count: all }] : [] });
}

/* Returns the value to compare: of a group whose runs all have the same value, that value. */
export function standsFor(value) {
	return value instanceof GroupValue && value.isSame ? value.only : value;
}

export function isVaried(value) {
	return value instanceof GroupValue && !value.isSame;
}

/* As numbers are compared and drawn: the mean of a group. */
export function numberOf(value) {
	const one = standsFor(value);
	return one instanceof GroupValue ? one.mean : one;
}

function range({ min, max }, told = number) {
	return min === max ? '' : `, ${words.range(told(min), told(max))}`;
}

function spread({ std }) {
	return std === undefined ? '' : ` ± ${number(std)}`;
}

function shown(value) {
	if (value === undefined) return text.compare.notSet;
	return typeof value === 'string' ? value : JSON.stringify(value);
}

function named({ items }) {
	return items.map(({ value, count }) => `${shown(value)} ×${count}`).join(', ');
}

/* [what stands first, what is added to it], of a group whose runs differ. */
export function variedTexts(value, section) {
	const { numbers, different, items, all } = value;
	const isMetric = section === 'summary' && numbers?.count;
	const some = isMetric && numbers.count < all ? `, ${words.some(numbers.count, all)}` : '';
	if (isMetric) return [number(numbers.mean), spread(numbers) + range(numbers) + some];
	if (different <= items.length) return [named(value), ''];
	return [words.different(different), numbers?.count ? range(numbers, written) : ''];
}
