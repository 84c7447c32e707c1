/*
 * Cells of labels over stretches of time, computed from the pieces of an answer of series: rows a second, the step
 * reached, the mean over the devices of a system metric. A label is silent (NaN) where no data shows it. Pure.
 */

const byTime = (a, b) => a.time - b.time;

function byLabel(series) {
	const labels = new Map();
	for (const { label, columns } of series) labels.set(label, [...labels.get(label) || [], columns]);
	return labels;
}

const emptyRow = (wide) => new Float64Array(wide).fill(NaN);

/* ---- along time ---- */

const SILENT = 5; /* times what usually lies between rows of a label */
const LEAST = 1e-3; /* share of a column that a rate needs */

const bucketsOf = (parts) => parts.flatMap(({ x_first: first, x_last: last, n }) => [...n.keys()]
	.map((at) => ({ first: first[at], time: last[at], rows: n[at] }))).sort(byTime);

/* Returns the pause that three quarters of the pauses between a label's rows do not exceed. */
function usualPause(buckets) {
	const pauses = buckets.flatMap(({ first, time, rows }, at) => [
		...rows > 1 ? [(time - first) / (rows - 1)] : [], ...at ? [first - buckets[at - 1].time] : []]);
	return pauses.sort((a, b) => a - b)[Math.floor((pauses.length - 1) * 0.75)] ?? 0;
}

/* From which pause on it was silent: more than a column, and far more than usual. */
const longestPause = (buckets, width) => Math.max(width, SILENT * usualPause(buckets));

/*
 * How many rows a label had sent by when, and for how long it was heard until then: as each bucket ends, as its first
 * one begins, and as it is heard again, from where rows are counted as from the first one.
 */
function rowCounts(parts, width) {
	const buckets = bucketsOf(parts);
	const longest = longestPause(buckets, width);
	const points = buckets.length ? [{ time: buckets[0].first, value: 1, heard: 0 }] : [];
	let [sum, heard] = [0, 0];
	for (const [at, { first, time, rows }] of buckets.entries()) {
		const before = at ? buckets[at - 1].time : first;
		const isAgain = first - before > longest;
		if (isAgain) points.push({ time: first, value: sum, heard });
		points.push({ time, value: sum += isAgain ? rows - 1 : rows, heard: heard += time - (isAgain ? first : before) });
	}
	return points;
}

/* Stretches of time, from which to which a label was silent; all of it where it sent no rows. */
function silences(parts, { from, to, width }) {
	const buckets = bucketsOf(parts);
	const longest = longestPause(buckets, width);
	const ends = [from, ...buckets.map(({ time }) => time)];
	const begins = [...buckets.map(({ first }) => first), to];
	return ends.map((end, at) => [end, begins[at]]).filter(([end, begin]) => begin - end > longest || !buckets.length);
}

/* Which step a label had reached by when; it does not go back. */
function stepTimes(parts) {
	const points = parts.flatMap(({ x_first: from, x_last: to, first, last }) => [...to.keys()]
		.flatMap((at) => [{ time: first[at], value: from[at] }, { time: last[at], value: to[at] }])).sort(byTime);
	let most = -Infinity;
	return points.map(({ time, value }) => ({ time, value: most = Math.max(most, value) }));
}

/* The first point that is not before `time`. */
function pointAt(points, time) {
	let [low, high] = [0, points.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (points[middle].time < time) low = middle + 1;
		else high = middle;
	}
	return low;
}

/* Interpolates the value between points at `time`; NaN before the first point and after the last. */
function between(points, time, name = 'value') {
	const after = pointAt(points, time);
	if (after === points.length || (after === 0 && points[0].time > time)) return NaN;
	if (after === 0) return points[0][name];
	const [a, b] = [points[after - 1], points[after]];
	return a[name] + (b[name] - a[name]) * (time - a.time) / (b.time - a.time);
}

/* How fast it grew within a column, as far as it was heard there. */
function growth(points, from, to) {
	const [first, last] = [points[0], points[points.length - 1]];
	const [begin, end] = [Math.max(from, first.time), Math.min(to, last.time)];
	const more = (name) => between(points, end, name) - between(points, begin, name);
	return end > begin && more('heard') > LEAST * (to - from) ? more('value') / more('heard') : NaN;
}

/* From the first to the last of these times of all parts, or what was asked for of it. */
function reachOf(series, names, span) {
	const [from, to] = span || [-Infinity, Infinity];
	let [first, last] = [Infinity, -Infinity];
	for (const { columns } of series) {
		for (const time of names.flatMap((name) => [...columns[name]])) {
			first = Math.min(first, time);
			last = Math.max(last, time);
		}
	}
	return [Math.max(first, from), Math.min(last, to)];
}

/* pointsOf(parts, scale, label); cellOf(points, from, width): what stands in a column. */
function sheetAlong(series, { names, wide, span }, pointsOf, cellOf) {
	const [from, to] = reachOf(series, names, span);
	const cells = new Map();
	if (!(to > from)) return { cells, from: 0, width: 0, wide: 0 };
	const width = (to - from) / wide;
	for (const [label, parts] of byLabel(series)) {
		const row = emptyRow(wide);
		const points = pointsOf(parts, { from, to, width }, label);
		if (points.length) for (let at = 0; at < wide; at++) row[at] = cellOf(points, from + at * width, width);
		cells.set(label, row);
	}
	return { cells, from, width, wide };
}

/* Rows a second: between the rows that lie around a moment, so that it goes by no edges of columns. */
export function rateCells(series, { wide, span }) {
	return sheetAlong(series, { names: ['x_first', 'x_last'], wide, span },
		(parts, { width }) => rowCounts(parts, width), (points, from, width) => growth(points, from, from + width));
}

/* The step that a label had reached in the middle of a column; rows: the series that rates are of, of the same time. */
export function stepCells(series, { wide, span, rows }) {
	const heard = byLabel(rows);
	const silentOf = (label, scale) => silences(heard.get(label) || [], scale);
	const pointsOf = (parts, scale, label) => Object.assign(stepTimes(parts), { silent: silentOf(label, scale) });
	return sheetAlong(series, { names: ['first', 'last'], wide, span }, pointsOf, (points, from, width) => {
		const middle = from + width / 2;
		return points.silent.some(([end, begin]) => middle > end && middle < begin) ? NaN : between(points, middle);
	});
}

/* The steps between which labels were within a stretch of time; null if no label was. */
export function stepsWithin(series, [from, to]) {
	const steps = [...byLabel(series).values()].map(stepTimes).flatMap((points) => points
		.filter(({ time }, at) => (points[at + 1]?.time ?? time) >= from && (points[at - 1]?.time ?? time) <= to)
		.map(({ value }) => value));
	return steps.length ? [steps.reduce((a, b) => Math.min(a, b)), steps.reduce((a, b) => Math.max(a, b))] : null;
}

/* ---- by buckets ---- */

/* The mean of all devices of a label, each as much as another. */
export function meanCells(series, { grid, times }) {
	const cells = new Map();
	for (const [label, parts] of byLabel(series)) {
		const [row, counts] = [emptyRow(grid.count), new Uint16Array(grid.count)];
		for (const { at: places, mean } of parts) {
			places.forEach((at, nth) => {
				if (Number.isNaN(mean[nth])) return;
				const value = mean[nth] * times;
				row[at] = counts[at] ? row[at] + (value - row[at]) / (counts[at] + 1) : value;
				counts[at]++;
			});
		}
		cells.set(label, row);
	}
	return { cells, from: grid.from, width: grid.width, wide: grid.count };
}
