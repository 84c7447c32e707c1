/* What hangs under a panel of lines says where its values are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeShapes, makeWindow } from './browser.mjs';

makeWindow();
makeShapes();
const { replace } = await import('../../../web-static/js/base/dom.js');
const { fillTip } = await import('../../../web-static/js/chart/line/line_tip.js');

/* A line [x, value] with places 0 to 9; it goes on over those between. */
function one(name, points, more = {}) {
	const x = new Array(10).fill(null);
	const smooth = new Array(10).fill(null);
	const [first, last] = [points[0][0], points.at(-1)[0]];
	smooth.fill(undefined, first, last);
	for (const [at, value] of points) [x[at], smooth[at]] = [at * 10, value];
	const zero = x.map(() => 0);
	const line = { name, who: name, slot: 0, x, mean: smooth, min: smooth, max: smooth, n: x.map(() => 1), nan: zero, pinf: zero, ninf: zero };
	return { line: { ...line, ...more }, raw: smooth, smooth };
}

function told(ones, idx, places = Array.from({ length: 10 }, (_, at) => at * 10), oddWriters, nearest = null) {
	const tip = document.createElement('div');
	tip.replaceChildren = () => { tip.children = []; };
	tip.classList = { toggle: () => {} };
	const plot = { data: [places], cursor: { left: 0 } };
	const said = fillTip({ ones, tip, showTip: (...parts) => replace(tip, ...parts), data: { x: '_step' }, plot, events: [], nearest, oddWriters }, idx);
	return [said, tip.children.map((row) => row.said())];
}

test('a value is told with the step that it is of', () => {
	const a = one('a', [[2, 5], [8, 1]]);
	assert.deepEqual(told([a], 2), ['step 20, a 5', ['step 20', 'a5']]);
	assert.deepEqual(told([a], 4), ['step 20, a 5', ['step 20', 'a5']], 'not of where the cursor is');
	const b = one('b', [[2, 4], [4, 3], [8, 1]]);
	assert.deepEqual(told([a, b], 4), ['step 40, a 5 step 20, b 3', ['step 40', 'a5step 20', 'b3']]);
	assert.deepEqual(told([a, b], 3)[0], 'step 20, a 5, b 4');
});

test('of buckets that are drawn at the same step the one that has a row is told', () => {
	const a = one('a', [[2, 5], [8, 1]]);
	const places = [0, 20, 20, 80, 80, 80, 80, 80, 80, 90];
	assert.deepEqual(told([a], 4, places)[0], 'step 80, a 1');
});

test('at the edge of a zoom the row beside it is told, not what is drawn there', () => {
	const a = one('a', [[0, 4.5], [6, 1]], { before: { x: -70, value: 9 } });
	a.line.x[0] = null;
	assert.deepEqual(told([a], 0)[0], 'step −70, a 9');
	assert.deepEqual(told([a], 3)[0], 'step −70, a 9');
	assert.deepEqual(told([a], 6)[0], 'step 60, a 1');
});

test('a line with NaN alone is not told as one without a value, too', () => {
	const nan = Array.from({ length: 10 }, (_, at) => at === 5 ? 1 : 0);
	const odd = one('odd', [[2, 5]], { nan });
	const none = one('none', [[2, 4]]);
	const writers = { of: () => () => null };
	assert.deepEqual(told([odd, one('a', [[5, 1]])], 5, undefined, writers)[1].slice(-1), ['odd: 1 NaN']);
	assert.deepEqual(told([odd, none, one('a', [[5, 1]])], 5, undefined, writers)[1].slice(-2), ['odd: 1 NaN', '1 without a value here']);
});

test('among more lines than are told the one that is pointed at is told', () => {
	const ones = Array.from({ length: 30 }, (_, nth) => one(`r${nth}`, [[2, 100 - nth]]));
	const near = (place) => told(ones, 2, undefined, undefined, place);
	assert.deepEqual(near(20)[1].slice(1), [...ones.slice(0, 9).map((_, nth) => `r${nth}${100 - nth}`), 'r1981', 'and 20 more']);
	assert.match(near(20)[0], /r8 92, r19 81$/);
	assert.deepEqual(near(10)[1], near(null)[1], 'as the last of the greatest it is told anyway');
});
