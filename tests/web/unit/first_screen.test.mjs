/* The first screen of charts: ranges that one line does not spoil, colours and bands of groups, keys of the runs shown. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { shownFilter } from '../../../web-static/js/chart/data/shown_keys.js';
import { spansDecades } from '../../../web-static/js/chart/data/scale.js';
import { innerRange, outsiders } from '../../../web-static/js/chart/line/clip.js';
import { detached } from '../../../web-static/js/chart/line/line_paint.js';
import { coresOf } from '../../../web-static/js/chart/line/group_core.js';
import { hasRoomForBands } from '../../../web-static/js/chart/line/drawn_lines.js';
import { slotsOf } from '../../../web-static/js/list/model/group_slots.js';

const owners = (...ranges) => ranges.map(([low, high], at) => ({ who: `r${at}`, low, high }));
const out = (ranges, how) => [...outsiders(owners(...ranges), how)];
const ten = (odd) => [...Array.from({ length: 9 }, (_, at) => [0.1 + at / 100, 2.4]), odd];

test('a line that flattens all others is left out of the range', () => {
	assert.deepEqual(out(ten([24, 35])), ['r9']);
	assert.deepEqual(out(ten([-1e9, 0])), ['r9'], 'below, too');
	assert.deepEqual(out(ten([0.1, 7])), [], 'one that is only larger is not');
	assert.deepEqual(out([...ten([24, 35]).slice(1), [1e6, 1e9]]), ['r9', 'r8'], 'the next largest is seen when the largest is gone');
	assert.deepEqual(out([[0, 1], [0, 1], [0, 1e9]]), ['r2'], 'one of three');
	assert.deepEqual(out([[0, 1], [0, 1e9]]), [], 'none of two');
	assert.deepEqual(out([[0, 1], [0, 1], [0, 1], [0, 50], [0, 60], [0, 70]]), [], 'nor more than a quarter');
	assert.deepEqual(out([[0, 1], [0, 1], [0, 1], [-1e300, 1e308]]), ['r3']);
	assert.deepEqual(out([[5, 5], [5, 5], [5, 5], [0, 9]]), [], 'of constant lines there is nothing to see');
});

test('of runs in groups a quarter is left out, whatever parts they are in', () => {
	const parts = (...weights) => weights.map((weight, at) => ({ who: `g${at}`, low: 0, high: at ? 1 : 99, weight }));
	assert.deepEqual([...outsiders(parts(1, 2, 1))], ['g0']);
	assert.deepEqual([...outsiders(parts(1, 2))], ['g0'], 'one of three');
	assert.deepEqual([...outsiders(parts(1, 1))], []);
	assert.deepEqual([...outsiders(parts(2, 4, 1))], []);
	assert.deepEqual([...outsiders(parts(2, 4, 2))], ['g0']);
	assert.deepEqual([...outsiders([{ who: 'wide', low: -50, high: 50 }, ...owners([0, 1], [0, 1], [0, 1])])], ['wide'], 'far on both sides');
});

/* A group's line of buckets with these values of runs. */
function groupLine(...buckets) {
	const mean = buckets.map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
	const spread = buckets.map((values, at) => values.length < 2 ? null
		: Math.sqrt(values.reduce((sum, value) => sum + (value - mean[at]) ** 2, 0) / (values.length - 1)));
	return { mean, spread, min: buckets.map((values) => Math.min(...values)), max: buckets.map((values) => Math.max(...values)),
		runs: buckets.map((values) => values.length) };
}

test('most runs of a group are found without those that are far, from what is known of all', () => {
	const sides = (...buckets) => coresOf(groupLine(...buckets), 0, buckets.length - 1).map(({ values, far }) => [Math.min(...values), Math.max(...values), far]);
	const near = (found, wanted) => found.forEach((value, at) => assert.ok(Math.abs(value - wanted[at]) < 0.3, `${found} instead of ${wanted}`));
	near(sides([1, 1.1, 1.2, 1.1, 150])[0], [1, 1.2, 1]);
	near(sides([1, 1.1, 1.2, 1.1, -150])[1], [1, 1.2, 1]);
	near(sides([1, 1.1, 1.2, 1.1, 1, 1.2, 150, 150])[0], [1, 1.2, 2]);
	near(sides([1, 1, 1, 1e12])[0], [1, 1, 1]);
	near(sides([2, 2.1, 2.2, 2.1], [1, 1.1, 1.2, 90], [80])[0], [1, 2.2, 1]);
	assert.deepEqual(sides([1], [2]), [], 'of one run nothing is known');
});

test('on a logarithmic axis a line has to be far away by powers', () => {
	const powers = [[1e-3, 1], [1e-3, 1], [1e-3, 1]];
	assert.deepEqual(out([...powers, [1, 1e3]], { isLog: true }), []);
	assert.deepEqual(out([...powers, [1, 1e30]], { isLog: true }), ['r3']);
	assert.deepEqual(innerRange([-1, 0, 1, 10], true), { low: 1, high: 10 });
	assert.equal(innerRange([-1, 0], true), null);
	assert.deepEqual(innerRange([...Array(999).fill(1), 1e9]), { low: 1, high: 1 }, 'one value of very many does not count');
});

test('bands: of up to eight groups, or three runs', () => {
	const lines = (runs, groups) => [...Array(runs).fill({}), ...Array(groups).fill({ isGroup: true })];
	assert.deepEqual([[0, 8], [0, 9], [3, 0], [4, 0], [3, 5], [3, 6]].map((of) => hasRoomForBands(lines(...of))),
		[true, false, true, false, true, false]);
});

test('the first groups have hues that are far apart: blue, ochre, red, cyan', () => {
	assert.deepEqual([...slotsOf(['sgd', 'adamw', 'adam', 'lion']).entries()], [['adam', 0], ['adamw', 6], ['lion', 7], ['sgd', 4]]);
	assert.deepEqual(new Set(slotsOf([...'abcdefgh']).values()), new Set([0, 1, 2, 3, 4, 5, 6, 7]));
});

test('the keys of the runs shown are asked for by their ids, of many by the filter of the list', () => {
	const runs = (count) => Array.from({ length: count }, (_, at) => ({ id: `r${at}` }));
	const scope = { filter: 'state:finished', counted: 'not id:r7' };
	assert.equal(shownFilter({ runs: runs(2), groups: [], scope }), 'id:r0,r1');
	assert.equal(shownFilter({ runs: [], groups: [], scope }), null);
	assert.match(shownFilter({ runs: runs(101), groups: [], scope }), /\(state:finished\)$/);
	assert.equal(shownFilter({ runs: runs(101), groups: [], scope: { filter: '' } }), null, 'all runs');
	assert.equal(shownFilter({ runs: [], groups: [{}], scope }), '(not id:r7)');
});

test('an axis is logarithmic where positive values span two powers of ten', () => {
	assert.deepEqual([[1e-5, 1e-2], [1, 99], [1, 100, undefined], [0, 1e9], ['a', 1], []].map(spansDecades), [true, false, true, false, false, false]);
});

test('a band that is apart from those beside it has a line to them', () => {
	assert.deepEqual(detached([[90, 95], [91, 96], [10, 10], [90, 92], [91, 95]]), [[2, 10, 91]], 'a spike up, in px');
	assert.deepEqual(detached([[10, 12], [90, 95], [11, 13], [10, 14]]), [[1, 90, 12]], 'and down');
	assert.deepEqual(detached([[90, 90], [50, 50], [90, 90], [40, 40], [95, 95], [60, 60]]), [], 'noise is none');
	assert.deepEqual(detached([[90, 95], [10, 10], [5, 5], [4, 6]]), [], 'nor a step');
	assert.deepEqual(detached([[1, 2]]), []);
});
