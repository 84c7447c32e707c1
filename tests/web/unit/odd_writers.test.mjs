/* Who wrote the NaN and infinities of a bucket: what is asked, and what the answer says. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { lineOf } from '../../../web-static/js/chart/data/buckets.js';
import { labelMean } from '../../../web-static/js/chart/line/label_mean.js';
import { askOddWriters, finerPanel, oddWriters } from '../../../web-static/js/chart/line/odd_writers.js';

const line = (who, x, xEnd, more = {}) => ({ who, key: 'loss', x: [x], xEnd: [xEnd], ...more });

test('a line knows the last x of a bucket, of labels as of all', () => {
	const columns = (ends) => ({ at: [0, 2], x_first: [0, 20], x_last: ends, mean: [1, 1], min: [1, 1], max: [1, 1], n: [2, 2], nan: [0, 0], pinf: [0, 0],
		ninf: [0, 0] });
	const grid = { from: 0, width: 10, count: 3 };
	const [one, other] = [[8, 31], [9, 25]].map((ends) => lineOf(grid, columns(ends)));
	assert.deepEqual(one.xEnd, [8, null, 31]);
	assert.deepEqual(labelMean([one, other], 3).xEnd, [9, null, 31]);
});

test('what is in a bucket is asked for alone, finer, of several lines at once', () => {
	const columns = ['x_first', 'x_last', 'nan', 'pinf', 'ninf'];
	assert.deepEqual(finerPanel('_step', [line('r', 200, 250), line('s', 190, 240), line('r', 200, 260, { key: 'acc' })], 0),
		{ keys: ['loss', 'acc'], x: '_step', split: 'writer', columns, from: 190, to: 260, buckets: 16 });
});

const piece = (label, at, nan, more = {}) => ({ run: 'r', key: 'loss', label, columns: { at, nan, pinf: at.map(() => 0), ninf: at.map(() => 0),
	x_first: at.map((place) => 10 * place), x_last: at.map((place) => 10 * place + 9), ...more } });
const of = (series, x = 0, xEnd = 1000) => oddWriters(series, line('r', x, xEnd), 0);

test('labels are told in the order in which they wrote any, each once, and where the first lies', () => {
	assert.deepEqual(of([piece('b', [2, 5], [0, 3]), piece('a', [0, 3], [0, 1]), piece('c', [1], [0])]), { labels: ['a', 'b'], first: [30, 39] });
	assert.deepEqual(of([piece('a', [4], [2]), piece('a', [1], [1], { x_last: [10] })]), { labels: ['a'], first: [10, 10] });
	assert.deepEqual(of([piece('a', [1], [0], { ninf: [1] })]).labels, ['a']);
	assert.equal(of([piece('a', [1], [0])]), null);
	assert.equal(of([{ ...piece('a', [0], [1]), run: 's' }, { ...piece('a', [0], [1]), key: 'acc' }]), null);
	assert.equal(of([piece('a', [1, 9], [1, 1])], 20, 89), null, 'what lies before and behind the bucket');
});

test('one question while somebody rests on a bucket, of the runs that have several writers', (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const questions = [];
	const came = [];
	const run = (id, writers) => ({ id, writers: () => writers });
	const panel = { data: { x: '_step' }, spec: {}, look: {}, page: {
		runs: [run('r', 2), run('alone', 1), { id: 'listed', writersListed: () => 1 }, { id: 'unknown' }, { id: 'unread', writersListed: () => null }],
		cache: { want: (question, listener) => { questions.push({ question, listener }); return () => {}; } } } };
	const writers = askOddWriters(panel, (at) => came.push(at));
	const lines = ['r', 'alone', 'listed', 'unknown', 'unread'].map((who) => ({ who, key: 'loss', x: [0, 10, 20, 30], xEnd: [9, 19, 29, 39] }));
	writers.of(lines, 1);
	writers.of(lines, 2);
	t.mock.timers.tick(200);
	writers.of(lines, 2);
	t.mock.timers.tick(200);
	assert.deepEqual(questions.map(({ question: { runs, panel: { from, to } } }) => [runs, from, to]), [[['r', 'unknown', 'unread'], 20, 29]]);
	assert.equal(writers.of(lines, 2)(lines[0]), null);
	questions[0].listener({ answer: { panel: {}, series: [piece('a', [2], [1])] } });
	assert.deepEqual(came, [2]);
	assert.deepEqual(writers.of(lines, 2)(lines[0]).labels, ['a']);
	assert.equal(writers.of(lines, 2)(lines[1]), null);
	panel.spec = { split: 'labels' };
	assert.equal(writers.of(lines, 3)(lines[0]), null);
	panel.spec = {};
	writers.of([{ ...lines[0], who: 'group:g', isGroup: true }], 3);
	writers.of([], 3);
	t.mock.timers.tick(200);
	assert.equal(questions.length, 1);
});
