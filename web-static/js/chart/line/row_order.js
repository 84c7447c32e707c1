/*
 * Lines along a metric that goes back and forth are drawn in the order of their rows, unless they are to be sorted: the
 * metric and the panel's keys are asked for by steps, and what falls into the same bucket is one point. Where the rows
 * of most buckets lie too far apart along what is seen of x, such a point says nothing: those lines are sorted. Of a
 * zoom the steps whose rows are seen are asked for by themselves, where they are few.
 */

import { text } from '../../text/tip.js';
import { bucketAt, placeOf } from '../data/buckets.js';
import { nearestOne, paintPath } from './line_along.js';
import { drawn, linesOf } from './lines.js';

export const BUCKETS_MOST = 500000; /* of all lines of a panel */
export const AGAIN_MS = 10000; /* where x only rises or falls; it may go back later */
const LEAST = 64; /* fewer say nothing */
const SLACK = 0.01; /* of all x: so far back is none, as of rows that come at once */
const NEAR = 0.05; /* of what is seen of x: so near are rows that may be one point */
const FAR_MOST = 0.1; /* of the buckets that are seen, those whose rows are not */
const FEW = 0.5; /* of all steps: of no more those that are seen are asked for */
const LEAD = 0.1; /* of these steps, on both sides, from where lines come */
const words = text.rowOrder;

/* Returns how many buckets to request for each of so many lines; 0 if there are too many lines. */
export function rowBuckets(buckets, lines) {
	const most = Math.min(buckets, Math.floor(BUCKETS_MOST / lines));
	return most < LEAST ? 0 : most;
}

/* Neither rises nor falls all the way; a line as of buckets.js. Pure. */
export function isBackAndForth({ min, max }) {
	const filled = min.flatMap((low, at) => low === null || low === undefined ? [] : [[low, max[at]]]);
	const least = filled.reduce((found, [low]) => Math.min(found, low), Infinity);
	const most = filled.reduce((found, [, high]) => Math.max(found, high), -Infinity);
	const slack = SLACK * (most - least);
	let [top, bottom] = [-Infinity, Infinity];
	let [isRising, isFalling] = [true, true];
	for (const [low, high] of filled) {
		isRising &&= low >= top - slack;
		isFalling &&= high <= bottom + slack;
		[top, bottom] = [Math.max(top, high), Math.min(bottom, low)];
	}
	return !isRising && !isFalling;
}

/*
 * Returns the place of each bucket of a line that has x by rows, for the visible range of x: null if the bucket's rows
 * are too far apart. Returns null instead of the places if that is so for most buckets. Pure.
 */
export function standsOf({ mean, min, max }, { from, to, isLog }) {
	const along = isLog ? Math.log : (x) => x;
	const near = NEAR * (along(to) - along(from));
	let [seen, far] = [0, 0];
	const stands = mean.map((x, at) => {
		if (x === null || max[at] < from || min[at] > to) return x;
		seen++;
		if (along(max[at]) - along(min[at]) <= near) return x;
		far++;
		return null;
	});
	return far <= FAR_MOST * seen ? stands : null;
}

/* Returns the first and last bucket of a line within the visible x, plus one on each side; [] if there is none. */
function bucketsSeen({ min, max }, [from, to]) {
	const filled = [...min.keys()].filter((at) => min[at] !== null && min[at] !== undefined);
	const isSeen = (at) => min[at] <= to && max[at] >= from;
	const [first, last] = [filled.findIndex(isSeen), filled.findLastIndex(isSeen)];
	return first < 0 ? [] : [filled[first - 1] ?? filled[first], filled[last + 1] ?? filled[last]];
}

/* Between which steps the rows of lines stand that are seen; null where that is most of them, or nothing. Pure. */
export function stepsSeen(lines, { from, width, count }, seen) {
	const buckets = lines.flatMap((line) => bucketsSeen(line, seen));
	if (!buckets.length) return null;
	const [first, past] = [Math.min(...buckets), Math.max(...buckets) + 1];
	const lead = (past - first) * LEAD;
	if (past - first + 2 * lead > count * FEW) return null;
	return [Math.max(from, Math.floor(from + (first - lead) * width)), Math.ceil(from + (past + lead) * width)];
}

/* Points [x, y] of a line whose values have a place each in `xs`; null where it is lifted. Pure. */
export function pathOf(xs, values) {
	const path = [];
	values.forEach((value, at) => {
		if (value === undefined || (value !== null && (xs[at] === null || !Number.isFinite(xs[at])))) return;
		if (value !== null) path.push([xs[at], value]);
		else if (path.length && path[path.length - 1]) path.push(null);
	});
	return path;
}

/* Which of the values that are there is least far; -1 where none is. Pure. */
export function nearest(values, far) {
	let found = -1;
	values.forEach((value, at) => {
		if (value === null || value === undefined) return;
		if (found < 0 || far(value, at) < far(values[found], found)) found = at;
	});
	return found;
}

const filledNear = ({ mean }, place) => nearest(mean, (_, at) => Math.abs(at - place));
const nameOf = ({ who, key }) => JSON.stringify([who, key]);

/* Lines by steps of an answer: of x those by their runs, and which of them go back and forth; of the keys all. */
function rowsOf({ name, x, keys }, answer, runs) {
	const { grid, lines } = linesOf(answer, { runs, groups: [] }, [...keys, x]);
	const along = new Map(lines.filter(({ key }) => key === x).map((line) => [line.who, line]));
	const odd = [...along.keys()].filter((who) => isBackAndForth(along.get(who)));
	return { name, x, grid, along, odd: new Set(odd), lines: lines.filter(({ key }) => keys.includes(key)) };
}

export function rowOrder(panel) {
	let rows = null; /* as of rowsOf */
	let fine = null; /* of a zoom, the same */
	let readAt = 0;
	let cancels = [];
	let timer = 0;
	let joined = new Map(); /* of a line's id, that by steps in whose order it is drawn */
	let sorted = 0; /* runs whose rows are too many */

	function questionOf(buckets, [from, to] = []) {
		const { page: { runs }, keys, data: { x } } = panel;
		const count = keys.includes(x) ? 0 : rowBuckets(buckets, runs.length * (keys.length + 1));
		const asked = { keys: [...keys, x], x: '_step', buckets: count, ...from !== undefined && { from, to } };
		const question = { runs: runs.map(({ id }) => id), groups: [], panel: asked };
		return count ? { x, keys, question, name: JSON.stringify(question) } : null;
	}

	/* took(rows, whether they are old) */
	function want(what, took) {
		cancels.push(panel.page.cache.want(what.question, ({ answer, isOld }) => {
			if (!answer?.panel) return;
			took(rowsOf(what, answer, panel.page.runs), isOld);
			panel.redraw();
		}));
	}

	function askFine(buckets) {
		const lines = [...rows.odd].map((who) => rows.along.get(who));
		const steps = panel.look.zoom && rows.x === panel.data.x && stepsSeen(lines, rows.grid, panel.xRange());
		const what = steps ? questionOf(buckets, steps) : null;
		if (what?.name !== fine?.name) fine = null;
		if (what) want(what, (read) => { fine = read; });
	}

	function ask(what, buckets) {
		let isAsked = false;
		want(what, (read, isOld) => {
			rows = read;
			if (!isOld) readAt = performance.now();
			if (!isAsked) askFine(buckets);
			isAsked = true;
		});
	}

	function rest() {
		clearTimeout(timer);
		for (const cancel of cancels.splice(0)) cancel?.();
	}

	const isHere = () => rows?.odd.size > 0 && rows.x === panel.data.x;

	function join(one, line, { stands, count }) {
		const { look: { weight, window, y } } = panel;
		const { smooth } = drawn(line, { count, weight, window, isLog: y === 'log' });
		/* Nothing along x is drawn of it. */
		Object.assign(one, { path: pathOf(stands, smooth), smooth: one.smooth.map(() => null), dots: [] });
		joined.set(one.line.id, line);
	}

	return {
		/* The panel has another answer: so many buckets were asked for. */
		answered(buckets) {
			const what = questionOf(buckets);
			rest();
			if (!what) return void (rows = fine = null);
			const isStraight = rows?.name === what.name && !rows.odd.size;
			const wait = isStraight ? readAt + AGAIN_MS - performance.now() : 0;
			if (wait > 0) timer = setTimeout(ask, wait, what, buckets);
			else ask(what, buckets);
		},
		/* Gives those of the lines that have an order of rows their path. */
		put(ones) {
			[joined, sorted] = [new Map(), 0];
			if (!isHere() || panel.spec.sorted) return;
			const [from, to] = panel.xRange();
			const { along, grid: { count }, lines: all } = panel.look.zoom && fine || rows;
			const seen = { from, to, isLog: panel.data.grid.isLog };
			const odd = [...rows.odd].filter((who) => along.has(who));
			const places = new Map(odd.map((who) => [who, standsOf(along.get(who), seen)]));
			const lines = new Map(panel.formula.linesOf(all, count).map((line) => [nameOf(line), line]));
			const those = ones.filter(({ line }) => places.has(line.who) && lines.has(nameOf(line)));
			for (const one of those) {
				const stands = places.get(one.line.who);
				if (stands) join(one, lines.get(nameOf(one.line)), { stands, count });
			}
			sorted = new Set(those.filter(({ path }) => !path).map(({ line }) => line.who)).size;
		},
		paint: paintPath,
		nearest: nearestOne,
		/* By steps, where a line is drawn so. */
		inRows: (line) => joined.get(line.id) ?? line,
		mark() {
			if (!isHere()) return null;
			const press = () => panel.page.change(panel, { sorted: panel.spec.sorted ? undefined : true });
			if (panel.spec.sorted) return { ...words.inRows, press };
			if (!sorted) return { ...words.sort, press };
			const how = words.tooManyRows(sorted);
			return joined.size ? { ...words.sort, how: `${words.sort.how} ${how}`, press } : { name: words.sorted, how };
		},
		note: () => null,
		/* Returns x of a run at a step; null if it is not known. */
		xAt(who, step) {
			const along = rows?.x === panel.data.x && rows.along.get(who);
			return along ? along.mean[filledNear(along, bucketAt(rows.grid, step))] ?? null : null;
		},
		/* The step where a run has this x, if it has it once. */
		stepAt(who, x) {
			const along = rows?.x === panel.data.x && rows.along.get(who);
			if (!along || rows.odd.has(who)) return null;
			const at = nearest(along.mean, (value) => Math.abs(value - x));
			return at < 0 ? null : placeOf(rows.grid, at, true);
		},
		rest,
	};
}
