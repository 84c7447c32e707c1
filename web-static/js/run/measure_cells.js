/*
 * What labels did in each stretch of time, of the pieces of an answer of series: rows a second, the step reached, the
 * mean over the devices of a system metric. A label is silent (NaN) where nothing tells of it. Pure.
 */

const byTime = (a, b) => a.time - b.time;

function byLabel(series) {
	const labels = new Map();
	for (const { label, columns } of series) labels.set(label, [...labels.get(label) || [], columns]);
	return labels;
}

const emptyRow = (wide) => new Float64Array(wide).fill(NaN);

/* ---- along time ---- */

/* How many rows a label had sent by when: as each bucket ends, and as its first one begins. */
function rowCounts(parts) {
	const buckets = parts.flatMap(({ x_first: first, x_last: last, n }) => [...n.keys()]
		.map((at) => ({ first: first[at], time: last[at], rows: n[at] }))).sort(byTime);
	const points = buckets.length ? [{ time: buckets[0].first, value: 1 }] : [];
	let sum = 0;
	for (const { time, rows } of buckets) points.push({ time, value: sum += rows });
	return points;
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

/* What stands between points, at `time`; NaN before the first and after the last. */
function between(points, time) {
	const after = pointAt(points, time);
	if (after === points.length || (after === 0 && points[0].time > time)) return NaN;
	if (after === 0) return points[0].value;
	const [a, b] = [points[after - 1], points[after]];
	return a.value + (b.value - a.value) * (time - a.time) / (b.time - a.time);
}

/* How fast it grew within a column, as far as points are known there. */
function growth(points, from, to) {
	const [first, last] = [points[0], points[points.length - 1]];
	const [begin, end] = [Math.max(from, first.time), Math.min(to, last.time)];
	return end > begin ? (between(points, end) - between(points, begin)) / (end - begin) : NaN;
}

function along(labels, { from, to, wide }, cellOf) {
	const width = (to - from) / wide;
	const cells = new Map();
	for (const [label, points] of labels) {
		const row = emptyRow(wide);
		if (points.length) for (let at = 0; at < wide; at++) row[at] = cellOf(points, from + at * width, width);
		cells.set(label, row);
	}
	return { cells, from, width, wide };
}

/* From the first to the last point of all, or what was asked for of it. */
function reachOf(labels, span) {
	const [from, to] = span || [-Infinity, Infinity];
	let [first, last] = [Infinity, -Infinity];
	for (const points of labels.values()) {
		if (!points.length) continue;
		first = Math.min(first, points[0].time);
		last = Math.max(last, points[points.length - 1].time);
	}
	return [Math.max(first, from), Math.min(last, to)];
}

function sheetAlong(labels, { wide, span }, cellOf) {
	const [from, to] = reachOf(labels, span);
	return to > from ? along(labels, { from, to, wide }, cellOf) : { cells: new Map(), from: 0, width: 0, wide: 0 };
}

const pointsOf = (series, make) => new Map([...byLabel(series)].map(([label, parts]) => [label, make(parts)]));

/* Rows a second: between the rows that lie around a moment, so that it goes by no edges of columns. */
export function rateCells(series, look) {
	return sheetAlong(pointsOf(series, rowCounts), look, (points, from, width) => growth(points, from, from + width));
}

/* The step that a label had reached in the middle of a column. */
export function stepCells(series, look) {
	return sheetAlong(pointsOf(series, stepTimes), look, (points, from, width) => between(points, from + width / 2));
}

/* The steps between which labels were within a stretch of time; null where nobody was. */
export function stepsWithin(series, [from, to]) {
	const steps = [...pointsOf(series, stepTimes).values()].flatMap((points) => points
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
