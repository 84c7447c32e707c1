/*
 * Values of runs as boxes, one for each of what they are put together by: quartiles, whiskers, and what lies beyond.
 * Pure.
 */

export const BOXES_MOST = 24;
const REACH = 1.5; /* times the box: so far whiskers go, to the last value that is there */

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/* Returns the value below which a share of sorted values is, interpolated between two of them if necessary. */
function quantile(values, share) {
	const place = share * (values.length - 1);
	const [low, part] = [Math.floor(place), place % 1];
	return part ? values[low] * (1 - part) + values[low + 1] * part : values[low];
}

/* {n, mean, least, low, first, median, third, high, most}: least and most of all, low and high where whiskers end. */
export function boxOf(given) {
	const values = [...given].sort((a, b) => a - b);
	const [first, median, third] = [0.25, 0.5, 0.75].map((share) => quantile(values, share));
	const reach = REACH * (third - first);
	const inside = values.filter((value) => value >= first - reach && value <= third + reach);
	const n = values.length;
	return {
		n, first, median, third, least: values[0], most: values[n - 1], low: Math.min(first, inside[0]),
		high: Math.max(third, inside[inside.length - 1]), mean: values.reduce((sum, value) => sum + value / n, 0),
	};
}

const byValue = (a, b) => isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b), 'en');

function byParts(a, b) {
	const at = a.by.findIndex((value, nth) => value !== b.by[nth]);
	return at < 0 ? 0 : byValue(a.by[at], b.by[at]);
}

/*
 * runs: [{id, name, value, by: [values of the keys]}]. {boxes: [{by, points: [{id, name, value}], …boxOf}] in order of
 * the keys' values, without: runs that have no number, more: boxes that are left out, those of the fewest runs}.
 */
export function boxesOf(runs) {
	const found = new Map();
	const there = runs.filter(({ value }) => isNumber(value));
	for (const { id, name, value, by } of there) {
		const place = JSON.stringify(by);
		if (!found.has(place)) found.set(place, { by, points: [] });
		found.get(place).points.push({ id, name, value });
	}
	const all = [...found.values()].sort((a, b) => b.points.length - a.points.length);
	const boxes = all.slice(0, BOXES_MOST).sort(byParts)
		.map((one) => ({ ...one, ...boxOf(one.points.map(({ value }) => value)) }));
	return { boxes, without: runs.length - there.length, more: all.length - boxes.length };
}

/* The same of runs that stand in panels beside each other, by what `placeOf(by)` calls a panel; count: of its runs. */
export function boxesIn(runs, placeOf) {
	const found = new Map();
	for (const run of runs) {
		const place = placeOf(run.by);
		if (!found.has(place)) found.set(place, []);
		found.get(place).push(run);
	}
	return new Map([...found].map(([place, some]) => [place, { ...boxesOf(some), count: some.length }]));
}
