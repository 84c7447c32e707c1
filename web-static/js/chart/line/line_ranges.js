/*
 * From where to where a panel of lines is seen: its x, and its axes at the left and the right by what is drawn within
 * that x.
 */

import { endsOf } from '../data/buckets.js';
import { countOutside, innerRange, outsiders, rangeOf } from './clip.js';
import { passes } from './edges.js';
import { placesOf } from './lines.js';
import { visible } from './visible_values.js';

export function xRangeOf(panel) {
	const { grid, x } = panel.data;
	const [first, end] = endsOf(grid);
	const { zoom } = panel.look;
	const isPlace = zoom && (!grid.isLog || zoom[0] > 0);
	const refs = grid.isLog ? [] : panel.refsAt('x');
	const last = end - (x === '_step' && !grid.isLog ? 1 : 0);
	const [from, to] = isPlace ? zoom : [Math.min(first, ...refs), Math.max(last, ...refs)];
	if (to > from) return [from, to];
	return grid.isLog ? [from / 2, from * 2] : [from - 0.5, from + 0.5];
}

/* Returns the values at which lines and their bands enter and leave the zoomed range. */
function edges({ data: { grid, x }, look, widths }, ones, ends) {
	if (!look.zoom) return [];
	const places = placesOf(grid, x);
	const how = { isLogX: grid.isLog, isLog: look.y === 'log' };
	const columns = ones.flatMap(({ line, raw, smooth }) => {
		const { low, high } = widths.get(line.id) ?? {};
		const through = (values) => values.map((value, at) => value ?? (raw[at] === undefined ? undefined : null));
		return [smooth, ...[low, high].filter(Boolean).map(through)];
	});
	const at = (end) => columns.map((values) => passes(values, places, end, how));
	return ends.flatMap(at).filter(Number.isFinite);
}

/* With which other panels it has a range in common: those of its section that are looked at as it is. */
export function sharedNameOf({ look: { y, range }, spec: { sharedY }, yZoom }) {
	const isFree = !yZoom && range.every((end) => end === null);
	return sharedY !== undefined && isFree ? JSON.stringify([sharedY, y]) : null;
}

/* hasValues: one that has none goes by the others. */
function sharedRange({ page, sharedName, spec }, own, hasValues) {
	if (sharedName) return page.shared.of(sharedName, spec.id, hasValues ? own : null) ?? own;
	page.shared?.leave(spec.id);
	return own;
}

/* Returns [{who, ones, low, high}]: the lines of each run or group, and from where to where they are. */
function ownersOf(panel, ones, ends, isLog) {
	const owners = new Map();
	for (const one of ones) owners.set(one.line.who, [...(owners.get(one.line.who) || []), one]);
	return [...owners].map(([who, own]) => ({ who, ones: own, ...innerRange(visible(panel, own, ends), isLog) }))
		.filter(({ low }) => low !== undefined);
}

const isGroup = ({ line }) => line.isGroup && !line.isOfLabels;
const nameOf = ({ line: { isGroup: isMean, name, run = name } }) => isMean ? name : run;
const NONE = { whole: new Set(), roomOf: () => null, named: () => [] };

/*
 * Returns what would flatten all others: {whole: runs and groups, roomOf(one): [low, high] of a line of which only some
 * values do, named(ones, thin): [{name, isGroup, isPart}] of these}. groups: group_outside.js, or null.
 */
function outsideOf(panel, ones, { ends, isLog, groups }) {
	const owners = ownersOf(panel, ones, ends, isLog);
	if (groups) return groups.outsideOf(panel, owners, ends, isLog);
	return { ...NONE, whole: outsiders(owners, { isLog }) };
}

/* Names runs and groups of this panel; thin: members of groups. */
function namesOf(ones, thin, { whole, named }) {
	const found = ones.filter(({ line }) => whole.has(line.who));
	return [...new Map(found.map((one) => [one.line.who, { name: nameOf(one), isGroup: isGroup(one) }])).values(), ...named(ones, thin)];
}

/* Returns the values of these lines, as valuesOf(lines) has them, that are not left out. */
function within(ones, { whole, roomOf }, valuesOf) {
	return ones.filter(({ line }) => !whole.has(line.who)).flatMap((one) => {
		const room = roomOf(one);
		return room ? valuesOf([one]).filter((value) => value >= room[0] && value <= room[1]) : valuesOf([one]);
	});
}

/* Computes the range of the left axis 'y' or the right 'y2'. Reference lines, zoom and sharing affect the left only. */
function axisRange(panel, scale, groups) {
	const { look } = panel;
	const isLog = look.y === 'log';
	const isLeft = scale === 'y';
	const ends = panel.xRange();
	const [ones, beside, thin] = [panel.ones, panel.beside, panel.thin].map((list) => list.filter((one) => one.scale === scale));
	const isFree = !isLeft || (!panel.yZoom && look.range.every((end) => end === null));
	const out = look.clip && isFree && look.y !== 'sym' ? outsideOf(panel, [...ones, ...beside], { ends, isLog, groups }) : NONE;
	const seen = (list) => within(list, out, (some) => visible(panel, some, ends));
	const shown = seen(ones);
	const values = [...shown, ...seen([...beside, ...thin]),
		...within([...ones, ...beside, ...thin], out, (some) => edges(panel, some, ends))];
	const include = isLeft ? panel.refsAt('y') : [];
	const alone = rangeOf(values, { clip: look.clip, isLog, include, fixed: isLeft ? panel.yZoom || look.range : undefined });
	const hasValues = [...values, ...include].some((value) => !isLog || value > 0);
	const range = isLeft ? sharedRange(panel, alone, hasValues) : alone;
	return { range, owners: namesOf(ones, thin, out), isBare: !values.length,
		...countOutside(isLog ? shown.filter((value) => value > 0) : shown, range) };
}

/*
 * {ranges, by the axis; outside: {above, below: number of values there, owners: what is left out of the range, as of
 * namesOf()}; isBare: nothing is seen}. groups: group_outside.js, or null.
 */
export function measured(panel, groups) {
	const [y, y2] = ['y', 'y2'].map((scale) => axisRange(panel, scale, groups));
	return {
		ranges: { y: y.range, y2: y2.range },
		outside: { above: y.above + y2.above, below: y.below + y2.below, owners: [...y.owners, ...y2.owners] },
		isBare: y.isBare && y2.isBare,
	};
}
