/* Where the cursor stands in a panel of another x. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { placeAfter, placeIn, rowsBefore } from '../../../web-static/js/chart/line/cursor_rows.js';
import { makeWindow } from './browser.mjs';

makeWindow();
const { nearest } = await import('../../../web-static/js/chart/line/row_order.js');

const line = (n, more = {}) => ({ who: 'r', key: 'a', n, nan: n.map(() => 0), pinf: n.map(() => 0), ninf: n.map(() => 0), ...more });
const grid = { from: 0, width: 10, count: 4 };

test('cursor: the row before which are as many', () => {
	const one = line([2, 0, 4, 2], { nan: [0, 2, 0, 0] });
	assert.deepEqual([0, 5, 20, 25, 99].map((x) => rowsBefore(one, grid, x)), [0, 1, 4, 6, 10]);
	assert.deepEqual([1, 4, 6, 10, 11].map((rows) => placeAfter(one, grid, rows)), [5, 20, 25, 40, null]);
});

test('cursor: of one run and key with all rows in both panels, and nowhere else', () => {
	const page = { runs: [{ id: 'r', writers: () => 1 }] };
	const panel = (x, lines, more) => ({ page, data: { x, lines, grid }, order: { now: () => ({ xAt: (who, step) => `${who} ${step}`, stepAt: () => 7 }) }, ...more });
	const [from, to] = [panel('_step', [line([4, 4, 0, 0])]), panel('_relative', [line([2, 2, 2, 2])])];
	assert.equal(placeIn(to, from, 10), 20);
	for (const other of [{ key: 'b' }, { who: 's' }, { n: [2, 2, 2, 1] }]) {
		assert.equal(placeIn(panel('_relative', [line([2, 2, 2, 2], other)]), from, 10), null);
	}
	assert.equal(placeIn(to, panel('_step', [line([4, 4]), line([1], { who: 's' })]), 10), null, 'of several runs none is pointed at');
	assert.equal(placeIn({ ...to, data: { ...to.data, grid: { ...grid, isLog: true } } }, from, 10), null);
	assert.equal(placeIn(panel('epoch', []), from, 3), 'r 3');
	assert.equal(placeIn(from, panel('epoch', [line([1])]), 3), 7);
	assert.equal(placeIn(to, panel('epoch', [line([1])]), 3), null);
	assert.equal(placeIn(to, {}, 3), null);
});

test('cursor: times are those of one writer, never of each process, and not of a group', () => {
	const lines = [line([4, 4, 0, 0])];
	const panel = (x, page, more = lines) => ({ page, data: { x, lines: more, grid }, order: {} });
	const at = (from, to, writers, more) => {
		const page = { runs: [{ id: 'r', writers }] };
		return placeIn(panel(to, page, more), panel(from, page, more), 10);
	};
	for (const time of ['_relative', '_timestamp']) {
		assert.equal(at('_step', time, () => 1), 10);
		assert.equal(at(time, '_step', () => 1), 10);
		assert.equal(at('_step', time, () => 2), null);
		assert.equal(at('_step', time, () => undefined), null, 'not read yet');
		assert.equal(at('_step', time), null, 'a list does not know');
	}
	assert.equal(at('_step', '_process', () => 1), null);
	assert.equal(at('_process', '_relative', () => 1), null);
	assert.equal(at('_step', '_relative', () => 1, [line([4, 4, 0, 0], { who: 'group:g' })]), null);
});

test('cursor: the nearest of values that are there', () => {
	assert.equal(nearest([null, undefined], () => 0), -1);
	assert.equal(nearest([null, 9, 4, undefined], (value) => Math.abs(value - 5)), 2);
	assert.equal(nearest([null, null, 9], (_, at) => Math.abs(at - 0)), 2);
});
