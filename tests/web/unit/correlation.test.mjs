/* How a metric goes with keys: against values that are known, and worked out another way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FEW_RUNS, LEAST_RUNS, correlationsOf, rankCorrelation, ranksOf, shareBetween } from '../../../web-static/js/chart/kinds/correlation.js';

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-12, `${a} is not ${b}`);
const runsOf = (metrics, ...columns) => metrics.map((metric, at) => ({ metric, values: columns.map((column) => column[at]) }));

test('ranks: equal values share the mean of theirs', () => {
	assert.deepEqual(ranksOf([30, 10, 20]), [3, 1, 2]);
	assert.deepEqual(ranksOf([2, 1, 2, 2, 0]), [4, 2, 4, 4, 1]);
	assert.deepEqual(ranksOf([0, -0]), [1.5, 1.5]);
	assert.deepEqual(ranksOf([]), []);
});

test('rank correlation: known examples', () => {
	const iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110];
	const hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17];
	near(rankCorrelation(iq, hours), -29 / 165); /* hours of TV by IQ: 1 - 6 * 194 / (10 * 99) */
	near(rankCorrelation([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]), 0.8207826816681233); /* scipy.stats.spearmanr's own example */
	near(rankCorrelation([1, 2, 3, 4], [1, 8, 27, 64]), 1);
	near(rankCorrelation([1, 2, 3, 4], [0.1, 0.01, 0.001, -5]), -1);
	assert.equal(rankCorrelation([1, 1, 1], [1, 2, 3]), null);
});

test('rank correlation: as by differences of ranks where none are equal', () => {
	let seed = 7;
	const next = () => (seed = seed * 48271 % 2147483647) / 2147483647;
	const [xs, ys] = [0, 1].map(() => Array.from({ length: 200 }, next));
	const place = (values, value) => values.filter((other) => other <= value).length;
	const squares = xs.reduce((sum, x, at) => sum + (place(xs, x) - place(ys, ys[at])) ** 2, 0);
	near(rankCorrelation(xs, ys), 1 - 6 * squares / (200 * (200 ** 2 - 1)));
});

test('share of variance: between groups, as one less what lies within', () => {
	const places = [[45, 70, 29, 15, 21], [40, 20, 30, 42], [65, 95, 80, 70, 85, 73]]; /* algebra, geometry, statistics */
	const squares = (values) => values.reduce((sum, value) => sum + value ** 2, 0) - values.reduce((a, b) => a + b, 0) ** 2 / values.length;
	near(shareBetween(places), 1 - places.map(squares).reduce((a, b) => a + b) / squares(places.flat()));
	assert.equal(Math.sqrt(shareBetween(places)).toFixed(4), '0.8386'); /* the correlation ratio of the textbook's example */
	near(shareBetween([[1, 3], [3, 1]]), 0);
	near(shareBetween([[1, 1], [2, 2]]), 1);
	assert.equal(shareBetween([[2, 2], [2]]), null);
});

test('keys: the strongest first, of which kind, of how many runs', async () => {
	const metric = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, undefined, 'NaN'];
	const lr = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 99, 99];
	const opt = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'b', 'c', 'c'];
	const mixed = [1, 'x', 1, 'x', 1, 'x', 1, 'x', 1, 'x', 1, 1];
	const some = [1, 'NaN', 2, null, 3, undefined, 4, 5, 'Infinity', 6, 1, 1];
	const found = await correlationsOf(['mixed', 'opt', 'lr', 'some', 'none'],
		runsOf(metric, mixed, opt, lr, some, metric.map(() => undefined)));
	assert.deepEqual(found.map(({ key, isNumeric, n, categories }) => [key, isNumeric, n, categories]),
		[['lr', true, 10, 10], ['some', true, 6, 6], ['opt', false, 10, 2], ['mixed', false, 10, 2]]);
	near(found[0].value, -1);
	near(found[2].value, 62.5 / 82.5);
});

test('keys: what is the same, another in each run, or of few runs is told so', async () => {
	const whyOf = async (values) => {
		const [{ why, value }] = await correlationsOf(['k'], runsOf(values.map((_, at) => at), values));
		return [why, value === null];
	};
	const many = Array.from({ length: FEW_RUNS }, (_, at) => at);
	assert.deepEqual(await whyOf(many), ['', false]);
	assert.deepEqual(await whyOf(many.slice(1)), ['few', false]);
	assert.deepEqual(await whyOf(many.slice(0, LEAST_RUNS)), ['few', false]);
	assert.deepEqual(await whyOf(many.slice(0, LEAST_RUNS - 1)), ['few', true]);
	assert.deepEqual(await whyOf(many.map(() => 5)), ['constant', true]);
	assert.deepEqual(await whyOf(many.map(() => true)), ['constant', true]);
	assert.deepEqual(await whyOf(many.map(String)), ['own', true]);
	assert.deepEqual(await whyOf(many.map((at) => [at % 2])), ['', false]);
	for (const key of [many, many.map(String), many.map((at) => at % 2 ? 'a' : 'b')]) {
		const [{ why, value }] = await correlationsOf(['k'], runsOf(many.map(() => 0.1), key));
		assert.deepEqual([why, value], ['flat', null]);
	}
});

test('correlation: what is the same in all runs has no variance to share, however it is rounded; large numbers have one', () => {
	for (const value of [0.1, 0.3, 1e-300, 1e300]) {
		for (let n = 3; n <= 60; n++) {
			const half = Math.floor(n / 2);
			assert.equal(shareBetween([Array(half).fill(value), Array(n - half).fill(value)]), null, `${n} of ${value}`);
		}
	}
	assert.equal(shareBetween([[1e308, 1e308], [-1e308, -1e308]]), 1);
	assert.ok(Math.abs(shareBetween([[0.1, 0.3], [0.1, 0.3]])) < 1e-12);
});
