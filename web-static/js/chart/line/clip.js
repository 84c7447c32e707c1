/* The range of an axis: of all values, or of those that are not far outside; and how many are. */

const LOW = 0.005;
const HIGH = 0.99;
const ROOM = 0.06;
const WORTH = 1.25; /* so much wider has all to be than the inner part, else nothing is clipped */
const GREATEST = Number.MAX_VALUE / 4;

const held = (value) => Math.max(-GREATEST, Math.min(GREATEST, value));

function padded(low, high) {
	const room = (held(high) - held(low)) * ROOM || Math.abs(held(high)) * 0.05 || 1;
	return [held(held(low) - room), held(held(high) + room)];
}

function paddedLog(low, high) {
	const times = Math.max((high / low) ** ROOM, 1.05);
	return [Number.isFinite(times) ? Math.max(low / times, Number.MIN_VALUE * 1e10) : low,
		held(high * (Number.isFinite(times) ? times : 1))];
}

function inner(sorted) {
	const at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
	return [at(LOW), at(HIGH)];
}

/* Ends that are fixed stay; of a logarithm those above zero alone, and an end that is past the other gives way. */
function heldTo([low, high], [fixedLow, fixedHigh], isLog) {
	const from = fixedLow === null || (isLog && fixedLow <= 0) ? low : fixedLow;
	const to = fixedHigh === null || (isLog && fixedHigh <= 0) ? high : fixedHigh;
	if (to > from) return [from, to];
	return from === low ? [isLog ? to / 10 : to - 1, to] : [from, isLog ? from * 10 : from + 1];
}

/* With room for these, however far they are. */
function widened([low, high], include, isLog) {
	const there = include.filter((value) => !isLog || value > 0);
	const ends = [Math.min(low, ...there), Math.max(high, ...there)];
	if (ends[0] === low && ends[1] === high) return [low, high];
	return isLog ? paddedLog(...ends) : padded(...ends);
}

/*
 * [low, high] for finite values; isLog: those above zero alone; include: values that are never clipped; fixed: [low,
 * high] of which each may be null.
 */
export function rangeOf(values, { fixed = [null, null], include = [], ...how } = {}) {
	return heldTo(widened(ownRange(values, how), include, how.isLog), fixed, how.isLog);
}

const FLATTENED = 10; /* times as large as the rest the whole range is, if some lines flatten all others */
const SHARE = 4; /* at most one of so many is left out; of three one */

const weightOf = (owners) => owners.reduce((sum, { weight }) => sum + weight, 0);

/* Returns these and as few of the lowest of the others as help, within the weight; null if none do. */
function withLowest(gone, { byHigh, byLow, whole }, most) {
	const others = byLow.filter((one) => !gone.includes(one));
	for (let count = 0; count < others.length; count++) {
		const out = [...gone, ...others.slice(0, count)];
		if (weightOf(out) > most) return null;
		const rest = byHigh.find((one) => !out.includes(one)).high - others[count].low;
		if (rest > 0 && whole >= FLATTENED * rest) return out;
	}
	return null;
}

/* Returns the lightest of these that help if they are left out, first those that reach highest; null if none do. */
function leftOut(owners, most) {
	const byHigh = owners.toSorted((a, b) => b.high - a.high);
	const byLow = owners.toSorted((a, b) => a.low - b.low);
	const all = { byHigh, byLow, whole: byHigh[0].high - byLow[0].low };
	let found = null;
	for (let top = 0; top < owners.length && weightOf(byHigh.slice(0, top)) <= most; top++) {
		found = withLowest(byHigh.slice(0, top), all, found ? weightOf(found) : most) ?? found;
	}
	return found;
}

/*
 * owners: [{who, low, high, weight}]: the range of each run, or of a part of a group, and how many runs that is (1).
 * Returns the set of those that are left out of the range of an axis because all others would be flattened: at most a
 * quarter of the runs, and none of fewer than three.
 */
export function outsiders(owners, { isLog = false } = {}) {
	const along = isLog ? Math.log : held;
	let rest = owners.map(({ who, low, high, weight = 1 }) => ({ who, low: along(low), high: along(high), weight }));
	const runs = weightOf(rest);
	let most = runs === 3 ? 1 : Math.floor(runs / SHARE);
	const out = new Set();
	while (most > 0) {
		const found = leftOut(rest, most);
		if (!found) break;
		for (const { who } of found) out.add(who);
		most -= weightOf(found);
		rest = rest.filter(({ who }) => !out.has(who));
	}
	return out;
}

/* The range of the values of one line, without the few that are far outside; null if it has none. */
export function innerRange(values, isLog = false) {
	const known = Float64Array.from(isLog ? values.filter((value) => value > 0) : values).sort();
	if (!known.length) return null;
	const [low, high] = inner(known);
	return { low, high };
}

function ownRange(values, { clip = false, isLog = false }) {
	const known = Float64Array.from(isLog ? values.filter((v) => v > 0) : values).sort();
	if (!known.length) return isLog ? [1, 10] : [0, 1];
	const all = [known[0], known[known.length - 1]];
	const part = clip ? inner(known) : all;
	const size = ([low, high]) => isLog ? Math.log(high) - Math.log(low) : held(high) - held(low);
	const [low, high] = size(all) > size(part) * WORTH && size(part) > 0 ? part : all;
	return isLog ? paddedLog(low, high) : padded(low, high);
}

export function countOutside(values, [low, high]) {
	let above = 0;
	let below = 0;
	for (const value of values) {
		if (value > high) above++;
		else if (value < low) below++;
	}
	return { above, below };
}
