/*
 * Values of runs under their keys, side by side; all runs of a group have one value (group_value.js). The first column
 * is the baseline. A row is {key, values, isEqual, direction}: a value for each column, undefined if it has none;
 * whether all runs have the same value, those of groups included; which direction is better, if that is known.
 */

import { isTyped, ownLeaves, wholeTyped } from '../../base/leaves.js';
import { matcherOf } from '../../ui/matcher.js';
import { GroupValue, isVaried, NOT_TOLD, numberOf, standsFor, variedTexts } from './group_value.js';

export const KEYS = 20000; /* of a section */
const [LOWER, HIGHER] = ['lower', 'higher'];

export function isNumber(value) {
	return typeof value === 'number' && Number.isFinite(value);
}

/* Names and values of a document; those of the SDK's own are left out. */
export function valuesOf(document) {
	return new Map(ownLeaves(wholeTyped(document)).map(([before, key, value]) => [before + key, value]));
}

/*
 * Rows of all keys that any has, up to so many, in the order in which they come first; null is a column of which nothing
 * is known.
 */
export function rowsOf(all, directions = new Map()) {
	const keys = new Set(all.flatMap((values) => [...values?.keys() ?? []]));
	return [...keys].slice(0, KEYS).map((key) => {
		const values = all.map((one) => one ? one.get(key) : NOT_TOLD);
		return { key, values, isEqual: isEqual(values), direction: directionOf(directions, key) };
	});
}

/* Images, tables and the like are not what runs are compared by. */
export function mediaLast(rows) {
	const isMedia = ({ values }) => values.some((value) => isTyped(value) && value._type !== 'histogram');
	return [...rows.filter((row) => !isMedia(row)), ...rows.filter(isMedia)];
}

/* Objects are the same whatever the order of their members. */
function essence(value) {
	return JSON.stringify(value, (_, one) => one && typeof one === 'object' && !Array.isArray(one)
		? Object.fromEntries(Object.entries(one).sort(([a], [b]) => a < b ? -1 : 1)) : one);
}

/* Returns whether two values are the same. A value that is not known counts as the same as any other. */
export function isSame(one, other) {
	const [a, b] = [standsFor(one), standsFor(other)];
	if (a === NOT_TOLD || b === NOT_TOLD || a === b) return true;
	return !isVaried(a) && !isVaried(b) && essence(a) === essence(b);
}

export function isEqual(values) {
	const told = values.filter((value) => value !== NOT_TOLD);
	return told.every((value) => !isVaried(value) && isSame(value, told[0]));
}

/* {absolute, relative} against the baseline; relative is null where that is 0. Null where there are no two numbers. */
export function changeOf(ofValue, ofBase) {
	const [value, base] = [numberOf(ofValue), numberOf(ofBase)];
	if (!isNumber(value) || !isNumber(base)) return null;
	return { absolute: value - base, relative: base ? (value - base) / Math.abs(base) : null };
}

/* 'better' or 'worse'; '' where no direction is known, or nothing changed. */
export function judged(change, direction) {
	if (!direction || !change?.absolute) return '';
	return (change.absolute < 0) === (direction === LOWER) ? 'better' : 'worse';
}

/* Which columns are the best; none where all are alike, or no direction is known. */
export function bestOf({ values: all, direction }) {
	const values = all.map(numberOf);
	const numbers = values.filter(isNumber);
	if (!direction || numbers.length < 2 || numbers.every((value) => value === numbers[0])) return [];
	const best = direction === LOWER ? Math.min(...numbers) : Math.max(...numbers);
	return values.flatMap((value, at) => value === best ? [at] : []);
}

/* Returns the better direction that define_metric() gives: 8 is the goal, 7 the kept value (1 least, 2 greatest). */
function definedDirection(metric) {
	const kept = [metric?.[7]].flat().filter((one) => one === 1 || one === 2);
	return { 1: LOWER, 2: HIGHER }[metric?.[8] ?? (kept.length === 1 ? kept[0] : 0)];
}

/* Removes the end of "loss.min" and the like, names under which the summary keeps values of a metric. */
function withoutKept(key) {
	return key.replace(/\.(min|max|mean|best|last|first)$/, '');
}

/* Which way the values of a key are better; undefined where that is not known. */
export function directionOf(directions, key) {
	return directions.get(key) ?? directions.get(withoutKept(key));
}

/* Key to direction: of what the project says, else the runs' configs; where those do not agree none is known. */
export function directionsOf(configs, ofProject = []) {
	const found = new Map();
	for (const metric of configs.flatMap((config) => [config?._wandb?.m ?? []].flat())) {
		const direction = definedDirection(metric);
		const key = metric?.[1];
		if (key && direction) found.set(key, found.has(key) && found.get(key) !== direction ? undefined : direction);
	}
	for (const { key, better } of ofProject) found.set(key, better);
	return found;
}

/*
 * Returns the shown rows of each section: {id, rows, differ, same}. Pinned rows come before all sections, in one that is
 * pinned and has no head, even if all are equal.
 */
export function shownSections(sections, { isOnly, find, pins }) {
	const fits = matcherOf(find);
	const isPinned = ({ id }, { key }) => id === 'summary' && pins.includes(key);
	const pinned = sections.flatMap((section) => pins.map((key) =>
		section.rows.find((row) => row.key === key && isPinned(section, row) && fits(key))).filter(Boolean));
	const all = sections.map((section) => {
		const { id, rows } = section;
		const found = rows.filter(({ key }) => fits(key));
		const differ = found.filter((row) => !row.isEqual);
		const rest = (isOnly ? differ : found).filter((row) => !isPinned(section, row));
		return { id, rows: rest, differ: differ.length, same: found.length - differ.length };
	});
	return pinned.length ? [{ id: 'summary', isPinned: true, rows: pinned }, ...all] : all;
}

/* Rows of a windowed list: a head for each section, and its keys where it is open. */
export function listOf(shown, folded) {
	return shown.flatMap((section) => [...section.isPinned ? [] : [{ kind: 'section', section }],
		...(folded.has(section.id) && !section.isPinned ? [] : section.rows.map((row) => ({ kind: 'key', section: section.id, row })))]);
}

export function plain(ofColumn, section) {
	const value = standsFor(ofColumn);
	if (value === undefined || value === NOT_TOLD) return '';
	if (value instanceof GroupValue) return variedTexts(value, section).join('');
	return typeof value === 'string' ? value : JSON.stringify(value);
}

/* Heads and rows of what is shown, for CSV and copies. */
export function tableOf(shown, names, { section: sectionHead, key: keyHead }) {
	return { heads: [sectionHead, keyHead, ...names],
		rows: shown.flatMap(({ id, rows }) =>
			rows.map(({ key, values }) => [id, key, ...values.map((value) => plain(value, id))])) };
}

