/*
 * Groups in the order of *Sort*, by what their rows show under its keys: the mean of numbers, else the value that all of
 * their runs have. Those that show none come last, either way. Where none shows any they stay as the server has them,
 * those of most runs first, as where the server may have more than it returned. Pure.
 */

import { GROUPS } from './group_names.js';

function shown(group, by, key) {
	if (key === by) return group.value ?? null;
	const numbers = group.stats?.[key];
	if (numbers?.count) return numbers.mean;
	const told = group.different?.[key];
	return told?.count === 1 && told.runs === group.count ? told.values[0].value : null;
}

/* Numbers before texts. */
function compared(one, other) {
	if (typeof one !== typeof other) return typeof one < typeof other ? -1 : 1;
	return one < other ? -1 : Number(one > other);
}

function comparedBy(one, other, by, { key, down }) {
	const [first, second] = [shown(one, by, key), shown(other, by, key)];
	if (first === null || second === null) return Number(first === null) - Number(second === null);
	return down ? compared(second, first) : compared(first, second);
}

/* `by` is the key that they are groups by, `sort` as of a view. */
export function orderedGroups(groups, by, sort) {
	if (isBySize(groups, by, sort)) return groups;
	return [...groups].sort((one, other) => sort.reduce((found, key) => found || comparedBy(one, other, by, key), 0));
}

export function isBySize(groups, by, sort) {
	return groups.length >= GROUPS || !groups.some((group) => sort.some(({ key }) => shown(group, by, key) !== null));
}
