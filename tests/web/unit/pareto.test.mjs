/* The front of points that no other one beats, the line along it, and how large points are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chosenFor, frontOf, stairsOf, withChosen } from '../../../web-static/js/chart/kinds/pareto.js';
import { GREATEST, LEAST, sizesOf } from '../../../web-static/js/chart/kinds/point_size.js';

const points = (...all) => all.map(([x, y]) => ({ x, y }));
const axes = (x, y, logs = '') => ({ x: { better: x, isLog: logs.includes('x') }, y: { better: y, isLog: logs.includes('y') } });
const LOW = axes('lower', 'lower');

test('front: in each of the four directions, from the best along x on', () => {
	const all = points([1, 5], [2, 3], [3, 4], [4, 1], [5, 5]);
	assert.deepEqual(frontOf(all, LOW), [0, 1, 3]);
	assert.deepEqual(frontOf(all, axes('lower', 'higher')), [0]);
	assert.deepEqual(frontOf(all, axes('higher', 'lower')), [4, 3]);
	assert.deepEqual(frontOf(all, axes('higher', 'higher')), [4]);
});

test('front: none, one, ties along an axis, and points that are equal', () => {
	assert.deepEqual(frontOf([], LOW), []);
	assert.deepEqual(frontOf(points([7, -7]), LOW), [0]);
	assert.deepEqual(frontOf(points([1, 3], [1, 2], [2, 2], [3, 1], [3, 1]), LOW), [1, 3, 4], 'as good along one and worse along the other is beaten');
	assert.deepEqual(frontOf(points([2, 2], [2, 2], [2, 2]), LOW), [0, 1, 2], 'equal ones are all there');
	assert.deepEqual(frontOf(points([2, 2], [2, 2], [1, 1]), LOW), [2], 'or none of them');
	assert.deepEqual(frontOf(points([0, 1], [-0, 1]), LOW), [0, 1]);
});

test('front: what is no number is left out, and on a logarithm what is not above zero; without directions there is none', () => {
	const all = points([NaN, 0], ['NaN', 0], [0, undefined], [null, 0], [-Infinity, 0], ['-Infinity', 0], ['a', 0], [1, 2], [0, 3], [-1, 4]);
	assert.deepEqual(frontOf(all, LOW), [9, 8, 7]);
	assert.deepEqual(frontOf(all, axes('lower', 'lower', 'x')), [7]);
	assert.deepEqual(frontOf(all, axes('lower', 'lower', 'y')), [9, 8, 7]);
	assert.deepEqual(frontOf(points([1, 0], [2, 1]), axes('lower', 'lower', 'y')), [1]);
	assert.deepEqual([axes(undefined, 'lower'), axes('lower', undefined)].map((one) => frontOf(all, one)), [[], []]);
});

test('front: as every pair says, of many points', () => {
	let seed = 7;
	const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648) % 12;
	const all = points(...Array.from({ length: 300 }, () => [next(), next()]));
	const beats = (a, b) => a.x >= b.x && a.y <= b.y && (a.x > b.x || a.y < b.y);
	const expected = all.flatMap((one, at) => all.some((other) => beats(other, one)) ? [] : [at]);
	assert.deepEqual(frontOf(all, axes('higher', 'lower')).sort((a, b) => a - b), expected);
});

test('the line along a front has corners on its worse side, and goes on to the ends of the axes', () => {
	const stairs = (places, ...better) => stairsOf(places, axes(...better)).map(String);
	assert.deepEqual(stairs([[0, 0.8], [0.5, 0.2]], 'lower', 'lower'), ['0,1', '0,0.8', '0.5,0.8', '0.5,0.2', '1,0.2']);
	assert.deepEqual(stairs([[1, 0.2], [0.5, 0.8]], 'higher', 'higher'), ['1,0', '1,0.2', '0.5,0.2', '0.5,0.8', '0,0.8']);
	assert.deepEqual(stairs([[0.5, 0.5]], 'lower', 'higher'), ['0.5,0', '0.5,0.5', '1,0.5']);
	assert.deepEqual(stairs([], 'lower', 'lower'), []);
});

test('which way is better is kept by key', () => {
	const said = withChosen(withChosen({}, 'lr', 'lower'), 'acc', 'higher');
	assert.deepEqual(said, { lower: ['lr'], higher: ['acc'] });
	assert.deepEqual(['lr', 'acc', 'loss'].map((key) => chosenFor(said, key)), ['lower', 'higher', undefined]);
	assert.deepEqual(withChosen(said, 'lr', 'higher'), { lower: [], higher: ['acc', 'lr'] });
	assert.deepEqual(withChosen(said, 'lr', ''), { lower: [], higher: ['acc'] });
	assert.equal(chosenFor({}, 'lr'), undefined);
});

test('sizes: areas grow evenly, whatever the sign; what is no number is as small as can be', () => {
	const { low, high, radiusOf } = sizesOf([-10, undefined, 30, 'NaN', NaN, 10]);
	assert.deepEqual([low, high], [-10, 30]);
	assert.deepEqual([-10, 30, 'NaN', undefined].map(radiusOf), [LEAST, GREATEST, LEAST, LEAST]);
	assert.ok(Math.abs(radiusOf(10) ** 2 - (LEAST ** 2 + GREATEST ** 2) / 2) < 1e-9, 'in the middle it has half of the area between');
	assert.equal(sizesOf([]), null);
	assert.equal(sizesOf(['a', null, Infinity]), null);
	const alike = sizesOf([5, 5]).radiusOf(5);
	assert.ok(alike > LEAST && alike < GREATEST);
	assert.deepEqual([-1.7e308, 1.7e308].map(sizesOf([-1.7e308, 1.7e308]).radiusOf), [LEAST, GREATEST]);
});
