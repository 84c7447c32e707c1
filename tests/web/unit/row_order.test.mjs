/* Lines along a metric that goes back and forth. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { AGAIN_MS, BUCKETS_MOST, isBackAndForth, pathOf, rowBuckets, rowOrder, standsOf, stepsSeen }
	= await import('../../../web-static/js/chart/line/row_order.js');
const { farFrom, nearestOne, paintPath } = await import('../../../web-static/js/chart/line/line_along.js');

const along = (min, max = min) => isBackAndForth({ min, max });

test('row order: what rises or falls all the way has none', () => {
	for (const values of [[], [1], [1, 1, 2], [3, null, 2, undefined, 2], [null, null]]) assert.equal(along(values), false);
	for (const values of [[1, 2, 1], [2, null, 1, 2]]) assert.equal(along(values), true);
	assert.equal(along([0, 5], [5, 9]), false, 'a bucket ends where the next begins');
	assert.equal(along([0, 4, 8], [5, 9, 9]), true, 'or behind it');
	assert.equal(along([0, 5, 4.92, 9]), false, 'so far back as rows that come at once');
	assert.equal(along([0, 3, 2.95, 2.9, 2.85, 9]), true, 'however slowly');
});

test('row order: a line goes on over what has no row, and is lifted over a gap', () => {
	assert.deepEqual(pathOf([1, 2, 1, 0, null], [5, undefined, 6, null, 7]), [[1, 5], [1, 6], null]);
	assert.deepEqual(pathOf([1, 2], [null, 3]), [[2, 3]]);
	assert.deepEqual(pathOf([1, null, 3], [4, 5, 6]), [[1, 4], [3, 6]], 'a bucket without a place is none of it');
});

test('row order: as many buckets as all lines may have, and none where each had too few', () => {
	assert.equal(BUCKETS_MOST, 500000);
	assert.equal(rowBuckets(640, 781), 640);
	assert.equal(rowBuckets(640, 782), 639);
	assert.equal(rowBuckets(640, 7812), 64);
	assert.equal(rowBuckets(640, 7813), 0);
});

test('row order: a bucket has a place where its rows lie near on what is seen, and none has where many do not', () => {
	const line = { mean: [1, 50, null, 99], min: [0, 48, null, 98], max: [2, 52, null, 100] };
	const seen = (from, to, isLog = false) => standsOf(line, { from, to, isLog });
	assert.deepEqual(seen(0, 100), [1, 50, null, 99]);
	assert.equal(seen(0, 79), null, 'one of two that are seen');
	assert.equal(seen(95, 100), null);
	assert.deepEqual(seen(3, 40), [1, 50, null, 99], 'what is not seen counts for nothing');
	assert.equal(seen(1, 100, true), null, 'from 0 on a logarithm');
	const saw = Array.from({ length: 20 }, (_, at) => at);
	const back = { mean: saw, min: saw.map((x) => (x % 10 ? x : 0)), max: saw };
	assert.deepEqual(standsOf(back, { from: 0, to: 19 }).flatMap((x, at) => x === null ? [at] : []), [10], 'it falls within one');
});

/* x and y of rows of one run, as an answer has them in so many buckets of steps, from the first one on. */
function pieces(rows, buckets, first = 0) {
	const width = rows.length / buckets;
	const of = (key, valueOf) => {
		const parts = Array.from({ length: buckets }, (_, at) => rows.slice(at * width, (at + 1) * width).map(valueOf));
		const columns = {
			at: parts.map((_, at) => at), n: parts.map((part) => part.length), x_first: parts.map((_, at) => first + at * width),
			mean: parts.map((part) => part.reduce((a, b) => a + b) / part.length),
			min: parts.map((part) => Math.min(...part)), max: parts.map((part) => Math.max(...part)),
		};
		return { run: 'r', key, columns };
	};
	return [of('a', ([, y]) => y), of('turn', ([x]) => x)];
}

/* A panel along `turn` whose rows those are, seen as x from..to. */
function made(rows, seen) {
	const asked = [];
	const panel = {
		keys: ['a'], spec: {}, seen, look: { weight: 0, window: 0, y: 'linear' },
		data: { x: 'turn', grid: { isLog: false } },
		xRange: () => panel.seen,
		redraw() {},
		formula: { linesOf: (lines) => lines },
		page: {
			runs: [{ id: 'r', name: 'r' }],
			cache: { want(question, listener) {
				asked.push(question);
				const { buckets, from = 0, to = rows.length - 1 } = question.panel;
				const told = { panel: { x: '_step', from, to, buckets }, series: pieces(rows.slice(from, to + 1), buckets, from) };
				listener({ answer: told });
				return () => {};
			} },
		},
	};
	const order = rowOrder(panel);
	const drawn = () => {
		const one = { line: { id: 'r', who: 'r', key: 'a' }, smooth: [1, 2], dots: [1] };
		order.put([one]);
		return one;
	};
	return { panel, order, drawn, asked };
}

test('row order: many turns within a bucket are sorted, and the head says so', () => {
	const { order, drawn } = made(Array.from({ length: 64000 }, (_, step) => [step % 250, step]), [0, 249]);
	order.answered(64);
	const { path, smooth } = drawn();
	assert.deepEqual([path, smooth], [undefined, [1, 2]]);
	const mark = order.mark();
	assert.deepEqual([mark.name, mark.press], ['Sorted by x', undefined]);
	assert.match(mark.how, /1 run has too many rows/);
	assert.equal(order.inRows(order), order);
});

test('row order: there and back is joined, and sorted where it is zoomed too far for its points', () => {
	const rows = Array.from({ length: 6400 }, (_, step) => [3200 - Math.abs(step - 3200), step]);
	const { panel, order, drawn } = made(rows, [0, 3200]);
	order.answered(64);
	const { path, smooth, dots, line } = drawn();
	assert.equal(path.length, 64);
	assert.deepEqual([smooth, dots], [[null, null], []], 'nothing along x');
	assert.equal(order.mark().name, 'Sort by x');
	assert.equal(order.inRows(line).mean.at(-1), 6349.5, 'what is told is of its rows, the last of them last');
	panel.seen = [100, 150];
	assert.equal(drawn().path, undefined);
	assert.equal(order.mark().name, 'Sorted by x');
	panel.seen = [0, 3200];
	assert.equal(drawn().path.length, 64);
});

test('row order: no path of an older answer where there are too many lines, or none by steps', () => {
	const { panel, order, drawn } = made(Array.from({ length: 640 }, (_, step) => [step % 320, step]), [0, 319]);
	order.answered(64);
	assert.ok(drawn().path);
	panel.page.runs = Array.from({ length: 8000 }, (_, at) => ({ id: at ? `r${at}` : 'r', name: '' }));
	order.answered(64);
	assert.deepEqual([drawn().path, order.mark()], [undefined, null]);
});

test('row order: what only rises is asked for again when it may go back, and by other questions at once', (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { panel, order, asked } = made(Array.from({ length: 640 }, (_, step) => [step, step]), [0, 639]);
	order.answered(64);
	order.answered(64);
	order.answered(64);
	assert.equal(asked.length, 1);
	t.mock.timers.tick(AGAIN_MS);
	assert.equal(asked.length, 2);
	order.answered(64);
	order.rest();
	t.mock.timers.tick(AGAIN_MS);
	assert.equal(asked.length, 2, 'not while it is not seen');
	panel.page.runs = [...panel.page.runs, { id: 's', name: 's' }];
	order.answered(64);
	assert.equal(asked.length, 3);
});

test('row order: steps whose rows are seen, with some before and behind; none where they are most', () => {
	const grid = { from: 100, width: 10, count: 20 };
	const x = Array.from({ length: 20 }, (_, at) => at === 3 ? null : 10 - Math.abs(at - 10));
	const seen = (from, to) => stepsSeen([{ min: x, max: x }], grid, [from, to]);
	assert.deepEqual(seen(9, 10), [175, 235]);
	assert.deepEqual(seen(8, 10), [163, 247]);
	assert.equal(seen(7, 10), null, 'more than half of them');
	assert.equal(seen(1, 1.5), null, 'there and back lie far apart');
	assert.equal(seen(11, 12), null, 'none is seen');
	assert.deepEqual(seen(0, 0.5), [100, 122], 'not before the first');
});

test('row order: of a zoom finer rows are asked for, and drawn in place of the others as long as it lasts', () => {
	const rows = Array.from({ length: 6400 }, (_, step) => [3200 - Math.abs(step - 3200), step]);
	const { panel, order, drawn, asked } = made(rows, [0, 3200]);
	order.answered(128);
	[panel.seen, panel.look.zoom] = [[3100, 3200], [3100, 3200]];
	order.answered(128);
	const [{ panel: fine }] = asked.slice(-1);
	assert.deepEqual([asked.length, fine.from, fine.to], [3, 3015, 3435]);
	assert.ok(drawn().path.filter(([x]) => x >= 3100).length > 60, 'before it was sorted');
	panel.look.zoom = null;
	panel.seen = [0, 3200];
	assert.equal(drawn().path.length, 128, 'all of them, before they are asked for again');
	order.answered(128);
	assert.equal(asked.length, 4);
});

test('row order: how far a point is from what is drawn between two others', () => {
	assert.equal(farFrom(5, 3, 0, 0, 10, 0), 3);
	assert.equal(farFrom(-3, 4, 0, 0, 10, 0), 5);
	assert.equal(farFrom(13, 4, 0, 0, 10, 0), 5);
	assert.equal(farFrom(3, 4, 0, 0, 0, 0), 5, 'of one point');
});

test('row order: the line that is pointed at is the nearest in px, up to 24 of them', () => {
	globalThis.devicePixelRatio = 1;
	const to = { x: (value) => value, y: (value) => 100 - value };
	const u = {
		cursor: { left: 50, top: 50, idxs: [0, 0, 0, 0] }, bbox: { left: 0, top: 0 },
		scales: { x: { min: 0, max: 100, distr: 1 }, y: { min: 0, max: 100, distr: 1 } },
		valToPos: (value, scale) => to[scale](value),
		series: [{}, {}, {}], ctx: new Proxy({}, { get: () => () => {}, set: () => true }),
	};
	const path = [[0, 20], [100, 20], null, [40, 90], [60, 90]];
	const ones = [{ scale: 'y', path: null, smooth: [60] }, { scale: 'y', path, smooth: [null], line: { color: '#abcdef' } }];
	paintPath(u, ones);
	const at = (top, place = null, left = 50) => {
		Object.assign(u.cursor, { left, top });
		return nearestOne(u, ones, place);
	};
	assert.deepEqual([at(57), at(56), at(55)], [2, null, null], 'the row from 0 to 100 is at 80');
	assert.deepEqual([at(60, 1), at(61, 1)], [1, 2], 'of two the nearer one, 40 and 80');
	assert.deepEqual([at(10), at(10, null, 90)], [2, null], 'where it is lifted nothing is drawn');
	assert.equal(at(80, null, -10), null, 'the cursor is nowhere');
	assert.equal(nearestOne(u, ones.slice(0, 1), 1), 1, 'nothing but lines along x');
	delete globalThis.devicePixelRatio;
});
