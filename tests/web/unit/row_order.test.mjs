/* Lines along a metric that goes back and forth. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { BUCKETS_MOST, isBackAndForth, pathOf, rowBuckets } = await import('../../../web-static/js/chart/row_order.js');

const along = (min, max = min) => isBackAndForth({ min, max });

test('row order: what rises or falls all the way has none', () => {
	for (const values of [[], [1], [1, 1, 2], [3, null, 2, undefined, 2], [null, null]]) assert.equal(along(values), false);
	for (const values of [[1, 2, 1], [2, null, 1, 2]]) assert.equal(along(values), true);
	assert.equal(along([0, 5], [5, 9]), false, 'a bucket ends where the next begins');
	assert.equal(along([0, 4, 8], [5, 9, 9]), true, 'or behind it');
});

test('row order: a line goes on over what has no row, and is lifted over a gap', () => {
	assert.deepEqual(pathOf([1, 2, 1, 0, null], [5, undefined, 6, null, 7]), [[1, 5], [1, 6], null]);
	assert.deepEqual(pathOf([1, 2], [null, 3]), [[2, 3]]);
});

test('row order: as many buckets as all lines may have, and none where each had too few', () => {
	assert.equal(BUCKETS_MOST, 500000);
	assert.equal(rowBuckets(640, 781), 640);
	assert.equal(rowBuckets(640, 782), 639);
	assert.equal(rowBuckets(640, 7812), 64);
	assert.equal(rowBuckets(640, 7813), 0);
});
