/* The pure modules of charts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { linearTicks, logTicks, niceStep, spanLabels, symlogTicks, thresholdOf, timeTicks } from '../../../web-static/js/chart/line/axis.js';
import { addSince, bridged, bucketAt, endsOf, gridOf, lineOf, placeOf } from '../../../web-static/js/chart/data/buckets.js';
import { countOutside, rangeOf } from '../../../web-static/js/chart/line/clip.js';
import { ticks } from '../../../web-static/js/base/format.js';
import { pieceReader } from '../../../web-static/js/chart/data/columns.js';
import { ANOTHER, isAskedAnew, logName, lookOf, lookOfPanel, xKeys } from '../../../web-static/js/chart/panel/look.js';
import { zoomText } from '../../../web-static/js/chart/panel/zoom.js';
import { csvOf } from '../../../web-static/js/chart/panel/panel_export.js';
import { smooth } from '../../../web-static/js/chart/line/smooth.js';
import { joined, packed } from './packed.mjs';

const NO = { nan: [0, 0], pinf: [0, 0], ninf: [0, 0] };

test('columns: pieces come whole, however the bytes are cut', () => {
	const all = joined(packed({ piece: 'panel', panel: 0 }), packed({ piece: 'series', key: 'größe' }, { mean: [1.5, NaN], at: [0, 7] }),
		packed({ piece: 'end' }));
	for (const size of [1, 3, 8, 17, all.length]) {
		const reader = pieceReader();
		const pieces = [];
		for (let from = 0; from < all.length; from += size) pieces.push(...reader.push(all.subarray(from, from + size)));
		assert.deepEqual(pieces.map((piece) => piece.piece), ['panel', 'series', 'end']);
		assert.deepEqual([...pieces[1].columns.mean], [1.5, NaN]);
		assert.ok(pieces[1].columns.at instanceof Float64Array);
		assert.equal(pieces[1].key, 'größe');
		assert.equal(reader.rest(), false);
	}
});

test('columns: what is cut off is noticed, what is something else refused', () => {
	const reader = pieceReader();
	reader.push(packed({ piece: 'end' }).subarray(0, 20));
	assert.equal(reader.rest(), true);
	assert.throws(() => pieceReader().push(new TextEncoder().encode('{"pieces": [], "more": 1}')));
});

test('smooth: a bucket of n rows is n rows', () => {
	const weight = 0.9;
	const rows = smooth(new Array(100).fill(0).concat(new Array(50).fill(1)), new Array(150).fill(1), weight);
	const buckets = smooth([0, 1], [100, 50], weight);
	assert.ok(Math.abs(rows[149] - buckets[1]) < 1e-9);
});

test('smooth: the first value is itself, nothing stays nothing, and no weight changes nothing', () => {
	assert.deepEqual(smooth([4, null, undefined, 4], [1, 1, 1, 1], 0.99).map((v) => typeof v === 'number' ? Math.round(v * 1e9) / 1e9 : v), [4, null, undefined, 4]);
	const values = [1, 5];
	assert.equal(smooth(values, [1, 1], 0), values);
});

test('clip: a lone spike does not set the range, and is counted', () => {
	const values = Array.from({ length: 1000 }, (_, i) => i % 10).concat([1e6]);
	const [low, high] = rangeOf(values, { clip: true });
	assert.ok(low < 0 && high < 20);
	assert.deepEqual(countOutside(values, [low, high]), { above: 1, below: 0 });
	assert.ok(rangeOf(values)[1] > 1e6);
});

test('clip: ranges of one value, none, the greatest numbers, and of logarithms', () => {
	assert.deepEqual(rangeOf([]), [0, 1]);
	const [low, high] = rangeOf([5, 5]);
	assert.ok(low < 5 && high > 5);
	const wide = rangeOf([-1.7e308, 1.7e308]);
	assert.ok(wide.every(Number.isFinite) && Number.isFinite(wide[1] - wide[0]));
	assert.ok(rangeOf([-1, 0, 0.01, 10], { isLog: true })[0] > 0);
	assert.deepEqual(rangeOf([-1], { isLog: true }), [1, 10]);
	assert.deepEqual(rangeOf([2, 3], { fixed: [0, 9] }), [0, 9]);
	assert.equal(rangeOf([2, 3], { fixed: [0, null] })[0], 0);
	assert.deepEqual(rangeOf([2, 3], { fixed: [9, 1] }), [9, 10]);
	assert.ok(rangeOf([2, 3], { fixed: [0, null], isLog: true })[0] > 0);
});

test('axis: steps of 1, 2 and 5, of any size', () => {
	assert.deepEqual([3, 12, 40, 0.7, 3e300].map((span) => niceStep(span, 4)), [1, 5, 10, 0.2, 1e300]);
	const small = Array.from({ length: 300 }, (_, at) => String(niceStep(1.1 ** -at, 4)));
	assert.deepEqual(small.filter((step) => !/^(0\.0*)?[125](e-\d+)?$/.test(step)), [], 'with no digits but its first');
	assert.deepEqual(linearTicks(-1, 1, 4), [-1, -0.5, 0, 0.5, 1]);
	assert.deepEqual(linearTicks(0, 0.3, 3), [0, 0.1, 0.2, 0.3]);
	assert.ok(linearTicks(-1e300, 1e300, 5).length >= 3);
});

test('axis: powers of ten, around zero too', () => {
	assert.deepEqual(logTicks(0.5, 2000, 6), [1, 10, 100, 1000]);
	assert.deepEqual(logTicks(1, 30, 6), [1, 2, 5, 10, 20]);
	assert.deepEqual(logTicks(50, 2000, 6), [50, 100, 200, 500, 1000, 2000]);
	assert.deepEqual(logTicks(2.1, 4.2, 6), [2.5, 3, 3.5, 4]);
	assert.ok(logTicks(1e-300, 1e300, 6).length <= 8);
	assert.deepEqual(symlogTicks(-100, 1000, 8, 1), [-100, -10, -1, 0, 1, 10, 100, 1000]);
	assert.equal(thresholdOf([0, -0.02, 5]), 0.01);
});

test('axis: times at whole minutes, spans in their unit', () => {
	const marks = timeTicks(1772355601, 1772356201, 5);
	assert.ok(marks.length >= 3 && marks.every((mark) => mark % 60 === 0));
	assert.deepEqual(spanLabels([0, 3600, 7200]), ['0', '1 h', '2 h']);
});

test('buckets: where they are drawn, and what lies between', () => {
	const grid = gridOf({ x: '_step', from: 0, to: 9, buckets: 20 });
	assert.deepEqual([0, 2, 18].map((at) => placeOf(grid, at, true)), [0, 1, 9]);
	const line = lineOf(grid, { at: [0, 2], x_first: [0, 1], mean: [1, NaN], min: [1, NaN], max: [1, NaN], n: [1, 0], ...NO, nan: [0, 1] });
	assert.deepEqual([line.mean[0], line.mean[2], line.nan[2], line.mean[4]], [1, null, 1, null]);
});

test('buckets: a line goes on over what is usual, breaks over silence and over NaN', () => {
	const of = (filled, count, odd = []) => {
		const line = { mean: new Array(count).fill(null), nan: new Array(count).fill(0), pinf: [], ninf: [] };
		for (const at of filled) line.mean[at] = 1;
		for (const at of odd) line.nan[at] = 1;
		return bridged(line, count);
	};
	assert.deepEqual(of([0, 5, 20], 21).values.slice(0, 7), [1, undefined, undefined, undefined, undefined, 1, undefined]);
	const broken = of([0, 1, 2, 3, 12], 13);
	assert.equal(broken.values[7], null);
	assert.deepEqual(broken.alone, [12]);
	assert.deepEqual(of([0, 1, 3, 4], 5, [2]).values[2], null);
});

/* The last of each stretch of steps that are joined, of a run with these in logarithmic buckets. */
function joinedAlongLog(steps, { buckets = 200, runs } = {}) {
	const grid = gridOf({ x: '_step', from: steps[0], to: steps.at(-1), buckets }, true);
	const all = steps.map(() => 1);
	const zero = steps.map(() => 0);
	const at = steps.map((step) => Math.min(buckets - 1, bucketAt(grid, step)));
	const line = lineOf(grid, { at, x_first: steps, mean: all, min: all, max: all, n: all.map(() => runs || 1), nan: zero, pinf: zero, ninf: zero });
	if (runs) line.runs = line.n.map((n) => n && runs);
	const { values, alone } = bridged(line, grid.count, true);
	const ends = values.flatMap((value, place) => value === null && (values[place - 1] ?? null) !== null ? [steps.findLast((step) => Math.min(buckets - 1, bucketAt(grid, step)) < place)] : []);
	return { ends, alone: alone.map((place) => line.x[place]) };
}

test('buckets: along a logarithm of x rows at every step are one line, and silence is a gap', () => {
	const every = (from, to, by = 1) => Array.from({ length: (to - from) / by + 1 }, (_, i) => from + i * by);
	assert.deepEqual(joinedAlongLog(every(1, 1000)), { ends: [], alone: [] });
	assert.deepEqual(joinedAlongLog(every(20, 2000, 20)), { ends: [], alone: [] }, 'evaluations');
	assert.deepEqual(joinedAlongLog(every(1, 1000), { runs: 7 }), { ends: [], alone: [] }, 'of a group');
	assert.deepEqual(joinedAlongLog([...every(1, 10), ...every(60, 1000)]), { ends: [10], alone: [] });
	assert.deepEqual(joinedAlongLog([1, ...every(20, 100000)]), { ends: [1], alone: [1] }, 'however many a later bucket has');
	assert.deepEqual(joinedAlongLog([1, 10, 100, 1000, 10000]), { ends: [], alone: [] }, 'as far apart as usual');
});

test('buckets: rows that came since take the place of the last bucket', () => {
	const grid = gridOf({ x: '_step', from: 0, to: 99, buckets: 10 });
	const line = lineOf(grid, { at: [8, 9], x_first: [80, 90], mean: [1, 1], min: [1, 1], max: [1, 1], n: [10, 5], ...NO });
	addSince(grid, line, 9, { at: [0, 3], x_first: [90, 104], mean: [3, 5], min: [3, 5], max: [3, 5], n: [10, 4], ...NO });
	assert.deepEqual([grid.count, line.mean[8], line.mean[9], line.mean[10], line.n[9]], [11, 1, 3, 5, 10]);
});

test('buckets: rows that came since are within the axis, the last one of steps wholly', () => {
	const came = (x_first, x_last) => ({ at: [0, 1], x_first, x_last, mean: [5, 6], min: [5, 6], max: [5, 6], n: [1, 1], ...NO });
	const first = { at: [0, 18], x_first: [0, 9], mean: [1, 2], min: [1, 2], max: [1, 2], n: [1, 1], ...NO };
	const endWith = (x, columns) => {
		const grid = gridOf({ x, from: 0, to: 9, buckets: 20 });
		addSince(grid, lineOf(grid, first), 18, columns);
		return [endsOf(grid)[1], grid.count];
	};
	assert.deepEqual(endWith('_step', came([9, 14], [9, 14])), [15, 30], 'step 14 as if the whole had been asked for');
	assert.deepEqual(endWith('_relative', came([9, 9.4], [9, 10])), [10.35, 23], 'what lies behind the begin of a bucket');
	assert.deepEqual(endWith('_step', came([8, 9], [8, 9])), [10, 20], 'no longer than it was');
});

test('look: as the address has it, nonsense as if it were not there', () => {
	const look = lookOf(new URLSearchParams('x=rel&smooth=0.9&log=y&outliers=show&zoom=1..5'));
	assert.deepEqual([look.x, look.weight, look.y, look.clip, look.zoom], ['_relative', 0.9, 'log', false, [1, 5]]);
	const odd = lookOf(new URLSearchParams('smooth=7&zoom=5..1&band=wide'));
	assert.deepEqual([odd.weight, odd.zoom, odd.band], [0, null, 'minmax']);
	assert.equal(zoomText([1.2, 8.5], '_step'), '1..9');
});

test('look: logarithms of both axes are one word, which keeps the other when one is changed', () => {
	const named = (x) => logName(lookOf(new URLSearchParams(x)));
	assert.deepEqual(['', 'log=x', 'log=y', 'log=xy', 'log=sym', 'log=xsym', 'log=odd'].map(named), [null, 'x', 'y', 'xy', 'sym', 'xsym', null]);
	assert.deepEqual(['rel', 'proc', 'step', 'lr', 'wall'].map((x) => lookOfPanel(lookOf(new URLSearchParams(`log=x&x=${x}`)), {}).xLog), [true, true, true, true, false]);
});

test('look: another x, or its logarithm, or the middle of groups, is another question', () => {
	const isOther = (now, before) => isAskedAnew(...[now, before].map((one) => lookOf(new URLSearchParams(one))));
	assert.deepEqual([['log=x', ''], ['log=xy', 'log=y'], ['', 'log=x'], ['x=rel', ''], ['band=middle', 'band=std']].map((pair) => isOther(...pair)), [true, true, true, true, true]);
	assert.deepEqual([['log=y', ''], ['smooth=0.5', ''], ['log=xy', 'log=x'], ['band=std', '']].map((pair) => isOther(...pair)), [false, false, false, false]);
});

test('a panel as CSV: names that a spreadsheet would take for formulas stay names', () => {
	const line = { run: '=HYPERLINK("x")', who: 'r1', key: '+a', x: [-1], mean: [-2], min: [-3], max: [4], n: [1], nan: [0], pinf: [0], ninf: [0] };
	assert.equal(csvOf({ data: { x: '_step' }, ones: [{ line, smooth: [-2.5] }] }),
		'run,id,key,_step,mean,smoothed,min,max,n,nan,inf\r\n"\'=HYPERLINK(""x"")",r1,\'+a,-1,-2,-2.5,-3,4,1,0,0\r\n');
});

test('a panel of groups as CSV: the band around the mean that is drawn', () => {
	const line = { run: 'adam', who: 'group:1', key: 'loss', isGroup: true, x: [5], mean: [10], min: [3], max: [18], n: [4], nan: [0], pinf: [0],
		ninf: [0], spread: [4], runs: [4] };
	const csv = (band, one = line) => csvOf({ data: { x: '_step' }, look: { band }, ones: [{ line: one, smooth: [10] }] }).split('\r\n');
	const [head, row] = ['run,id,key,_step,mean,smoothed,min,max,n,nan,inf', 'adam,group:1,loss,5,10,10,3,18,4,0,0'];
	assert.deepEqual(csv('std'), [`${head},std_low,std_high`, `${row},6,14`, '']);
	assert.deepEqual(csv('sem'), [`${head},sem_low,sem_high`, `${row},8,12`, '']);
	assert.deepEqual([csv('minmax'), csv('std', { ...line, isGroup: false })], [[head, row, ''], [head, row, '']]);
});

test('a range has room for what it is to include, clipped or not', () => {
	const [low, high] = rangeOf([1, 2], { clip: true, include: [500, -3] });
	assert.ok(low < -3 && high > 500);
	assert.deepEqual(rangeOf([1, 2], { include: [1.5] }), rangeOf([1, 2]));
	assert.ok(rangeOf([1, 10], { isLog: true, include: [0, 1000] })[1] > 1000);
	assert.deepEqual(rangeOf([1, 10], { isLog: true, include: [0] }), rangeOf([1, 10], { isLog: true }));
	assert.deepEqual(rangeOf([1, 2], { include: [500], fixed: [0, 3] }), [0, 3]);
});

test('numbers at axes are told as they are elsewhere', () => {
	assert.deepEqual(ticks([0, 500, 1000, 1500]), ['0', '500', '1,000', '1,500']);
	assert.deepEqual(ticks([-1500, 0, 1500]), ['−1,500', '0', '1,500']);
	assert.deepEqual(ticks([0, 0.5, 1]), ['0', '0.5', '1.0']);
	assert.deepEqual(ticks([0, 10000, 20000]), ['0', '10k', '20k']);
});

test('of many keys the first are offered as x, that which is, and the way to all others', () => {
	const many = Array.from({ length: 301 }, (_, at) => `k${at}`);
	const values = (keys, own) => xKeys(keys, own).map(([value]) => value);
	assert.deepEqual(values(['a', 'step', 'b'], 'step'), ['a', 'b']);
	assert.deepEqual(values(many, 'k7'), [...many.slice(0, 300), ANOTHER]);
	assert.deepEqual(values(many, 'k300').slice(0, 2), ['k300', 'k0']);
});
