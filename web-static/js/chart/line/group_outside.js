/*
 * Leaves groups out of the range of an axis, or those runs of a group that would flatten all others: then the values that are
 * far from all others are left out. Loaded when groups are drawn.
 */

import { innerRange, outsiders } from './clip.js';
import { coresOf } from './group_core.js';
import { placesWithin, visible } from './visible_values.js';

const PART = 2; /* times as large as the range of most runs of a group that of all has to be, for some to be far */
const WORTH = 3; /* times as large as the rest the range of what is drawn has to be, for some of it to be left out */

const isOfRuns = ({ isGroup, isOfLabels }) => isGroup && !isOfLabels;
const farOf = (who) => `far:${who}`;
const sizeOf = ({ low, high }, along = (value) => value) => along(high) - along(low);
const union = (one, other) => ({ low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) });

/* Returns {low, high, far} of most runs in all lines of a group, of the narrower side; undefined if that is unknown. */
function coreOf(lines, isLog) {
	if (lines.some((sides) => !sides.length)) return undefined;
	return [0, 1].map((side) => {
		const cores = lines.map((sides) => sides[side]);
		const range = innerRange(cores.flatMap(({ values }) => values), isLog);
		return range && { ...range, far: Math.max(...cores.map(({ far }) => far)) };
	}).filter(Boolean).sort((a, b) => sizeOf(a) - sizeOf(b))[0];
}

/* Returns the range of all values of all runs; null if there are none. */
function rangeOfAll(lines, [first, last], isLog) {
	const values = lines.flatMap(({ min, max }) => [min, max].flatMap((column) => column.slice(first, last + 1)));
	return innerRange(values.filter(Number.isFinite), isLog);
}

/* Returns [{who, low, high, weight}]: of an owner, or of most runs of a group and of all, of which some are far. */
function rangesOf(panel, { who, ones, low, high }, ends, isLog) {
	const lines = ones.map(({ line }) => line).filter(isOfRuns);
	const weight = Math.max(1, ...lines.flatMap(({ runs }) => runs));
	const places = placesWithin(panel.data.grid, ends);
	const all = lines.length ? rangeOfAll(lines, places, isLog) : null;
	const core = all && coreOf(lines.map((line) => coresOf(line, ...places)), isLog);
	if (!core || sizeOf(all) < PART * sizeOf(core)) return [{ who, low, high, weight }];
	return [{ who, low: core.low, high: core.high, weight: weight - core.far }, { who: farOf(who), ...all, weight: core.far }];
}

/* Returns the drawn members of these groups that are far from all others. */
function farMembers(panel, { thin, part, rest: { low, high } }, ends) {
	const room = high - low;
	return thin.filter((one) => {
		const own = part.has(one.line.member) && innerRange(visible(panel, [one], ends));
		return own && (own.high > high + room || own.low < low - room);
	});
}

/* As outsideOf() of line_ranges.js has it; runs that are far by their own names if their group's members are drawn. */
export function outsideOf(panel, owners, ends, isLog) {
	const ranges = owners.flatMap((owner) => rangesOf(panel, owner, ends, isLog));
	const out = outsiders(ranges, { isLog });
	const rest = ranges.filter(({ who }) => !out.has(who)).reduce(union, { low: Infinity, high: -Infinity });
	const along = isLog ? Math.log : undefined;
	const isWorth = (owner) => sizeOf(union(rest, owner), along) >= WORTH * sizeOf(rest, along);
	const part = new Set(owners.filter((owner) => !out.has(owner.who) && out.has(farOf(owner.who)) && isWorth(owner)).map(({ who }) => who));
	return {
		whole: out,
		roomOf: ({ line: { who, member = who } }) => part.has(member) ? [rest.low, rest.high] : null,
		named(ones, thin) {
			const far = farMembers(panel, { thin, part, rest }, ends);
			const known = new Set(far.map(({ line }) => line.member));
			const groups = ones.filter(({ line: { who } }) => part.has(who) && !known.has(who));
			return [...new Map([...far, ...groups].map(({ line }) => [line.who,
				{ name: line.name, isGroup: Boolean(line.isGroup), isPart: Boolean(line.isGroup) }])).values()];
		},
	};
}
