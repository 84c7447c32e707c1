import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { binsOf, heatOf } = await import('../../../web-static/js/sweeps/bins.js');
const { levelsOf, spanOfLine, yamlOf } = await import('../../../web-static/js/sweeps/config_text.js');
const { bestSoFar, bestTrial, flatParams, namesIn, progressOf, rateOf, sharesOf, timeLeft, tookOf } = await import('../../../web-static/js/sweeps/figures.js');
const { agentLines, EXAMPLE, startLines } = await import('../../../web-static/js/sweeps/snippets.js');

const at = (minute) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
const counts = (more) => ({ total: 0, waiting: 0, running: 0, points: 0, ...more });
const trial = (number, value, more) => ({ trial: number, value, source: 'search', state: 'finished', started_at: null, ended_at: null, params: {}, ...more });

test('how far a sweep is', () => {
	assert.deepEqual(progressOf({ trials: counts({ total: 5, running: 2, waiting: 1, points: 4 }), expected: 10, run_cap: 10 }), { done: 2, expected: 10, share: 0.2 });
	assert.deepEqual(progressOf({ trials: counts({ total: 9, running: 1, points: 4 }), expected: 6, run_cap: null }), { done: 3, expected: 6, share: 0.5 });
	assert.deepEqual(progressOf({ trials: counts({ total: 5, running: 1 }), expected: null, run_cap: null }), { done: 4, expected: null, share: null });
	assert.equal(progressOf({ trials: counts({ total: 12 }), expected: 10, run_cap: 10 }).share, 1);
	assert.equal(progressOf({ trials: counts({ waiting: 2, points: 1 }), expected: 3, run_cap: null }).done, 0);
});

test('the rate is of the last trials, and sinks while nothing ends', () => {
	const ended = (number, start, end, more) => trial(number, 1, { started_at: at(start), ended_at: at(end), ...more });
	assert.equal(rateOf([ended(1, 0, 10)], Date.parse(at(20))), null);
	assert.deepEqual(rateOf([ended(1, 0, 10), ended(2, 0, 20), trial(3, null, { started_at: at(20) })], Date.parse(at(20))), { perHour: 6, of: 2 });
	assert.deepEqual(rateOf([ended(1, 0, 10), ended(2, 0, 20)], Date.parse(at(40))), { perHour: 3, of: 2 });
	assert.equal(rateOf([ended(1, 0, 10, { source: 'prior' }), ended(2, 0, 20)], Date.parse(at(40))), null);
	const many = Array.from({ length: 30 }, (_, index) => ended(index, index, index + 1));
	assert.deepEqual(rateOf(many, Date.parse(at(30))), { perHour: 60, of: 20 });
	assert.equal(timeLeft({ done: 4, expected: 10 }, { perHour: 6 }), 3600);
	assert.equal(timeLeft({ done: 4, expected: null }, { perHour: 6 }), null);
	assert.equal(timeLeft({ done: 4, expected: 10 }, null), null);
	assert.equal(timeLeft({ done: 12, expected: 10 }, { perHour: 6 }), 0);
});

test('the best value so far', () => {
	const trials = [trial(3, 2, { ended_at: at(1) }), trial(1, 5, { ended_at: at(3) }), trial(2, null), trial(4, 3, { ended_at: at(2) }), trial(5, 2, {})];
	const bests = (found) => found.map(({ trial: one, best, isBest }) => [one.trial, best, isBest]);
	assert.deepEqual(bests(bestSoFar(trials, { goal: 'minimize' })), [[1, 5, true], [3, 2, true], [4, 2, false], [5, 2, false]]);
	assert.deepEqual(bests(bestSoFar(trials, { goal: 'maximize' })), [[1, 5, true], [3, 5, false], [4, 5, false], [5, 5, false]]);
	assert.deepEqual(bests(bestSoFar(trials, { goal: 'maximize', key: 'ended_at' })), [[3, 2, true], [4, 3, true], [1, 5, true]]);
	assert.equal(bestTrial(trials, 'minimize').trial, 3);
	assert.equal(bestTrial([trial(1, null)], 'minimize'), null);
});

test('shares for colours: the best is 100', () => {
	assert.deepEqual(sharesOf([1, 2, null, 3], 'minimize'), [100, 50, null, 0]);
	assert.deepEqual(sharesOf([1, 2, 3], 'maximize'), [0, 50, 100]);
	assert.deepEqual(sharesOf([2, 2], 'minimize'), [100, 100]);
	assert.deepEqual(sharesOf([1, 2, 1000], 'minimize'), [100, 50, 0]);
});

test('parameters of trials', () => {
	assert.deepEqual(flatParams({ lr: 0.1, opt: { name: 'adam', b: { c: [1] } }, none: null, empty: {} }),
		[['lr', 0.1], ['opt.name', 'adam'], ['opt.b.c', [1]], ['none', null], ['empty', {}]]);
	assert.deepEqual(flatParams(null), []);
	assert.deepEqual(namesIn([{ params: { b: 1 } }, { params: null }, { params: { a: 1, b: 2 } }]), ['a', 'b']);
	assert.equal(tookOf({ started_at: at(1), ended_at: at(3) }, 0), 120);
	assert.equal(tookOf({ started_at: at(1), ended_at: null }, Date.parse(at(2))), 60);
	assert.equal(tookOf({ started_at: null, ended_at: at(3) }, 0), null);
});

test('configs as text', () => {
	assert.equal(yamlOf('{"method": "grid", "parameters": {"a": {"values": [1, 2]}}}'), 'method: grid\nparameters:\n  a:\n    values:\n      - 1\n      - 2\n');
	assert.equal(yamlOf(EXAMPLE), EXAMPLE);
	assert.deepEqual([1, 2, 3, 9].map((line) => spanOfLine('ab\ncde\n', line)), [[0, 2], [3, 6], [7, 7], [7, 7]]);
	assert.deepEqual([...levelsOf([{ line: 1, level: 'warning' }, { line: 2, level: 'error' }, { line: 2, level: 'warning' }, { line: null, level: 'error' }])],
		[[1, 'warning'], [2, 'error']]);
});

test('lines that start sweeps and agents', () => {
	const place = { entity: 'ann', project: 'digits', base: 'http://h:1', key: 'KEY' };
	const starts = startLines(place);
	assert.match(starts.wandb, /^export WANDB_BASE_URL=http:\/\/h:1 WANDB_API_KEY=KEY\n/);
	assert.match(starts.wandb, /\nwandb sweep --entity ann --project digits sweep\.yaml$/);
	assert.match(starts.command, /\ncairn sweep sweep\.yaml --project ann\/digits$/);
	assert.match(starts.command, /\$\{args_no_hyphens\}[^]*for given; do export "\$given"[^]*cairn log loss=[^\n]*\$lr \* \$batch_size/);
	assert.deepEqual(Object.keys(startLines({ ...place, project: 'a b' })), ['wandb', 'curl']);
	assert.match(startLines({ ...place, project: "it's" }).wandb, /--project 'it'\\''s' sweep\.yaml$/);
	assert.match(agentLines({ ...place, sweep: 'k3x9a0bq' }).wandb, /\nwandb agent ann\/digits\/k3x9a0bq$/);
	assert.match(agentLines({ ...place, sweep: 'k3x9a0bq' }).curl, /projects\/ann\/digits\/sweeps\/k3x9a0bq\/trials$/);
});

test('bins of numbers, of decades, and of words', () => {
	assert.deepEqual(binsOf([64, 16, 32, 16]).labels, ['16', '32', '64']);
	assert.deepEqual([16, 64, 20, undefined].map(binsOf([64, 16, 32]).of), [0, 2, null, null]);
	const wide = binsOf(Array.from({ length: 17 }, (_, at) => at));
	assert.deepEqual([wide.labels[0], wide.labels[7], wide.of(0), wide.of(2), wide.of(16)], ['0–2', '14–16', 0, 1, 7]);
	const decades = binsOf(Array.from({ length: 9 }, (_, at) => 10 ** (at - 8)));
	assert.deepEqual([1e-8, 1e-4, 1].map(decades.of), [0, 4, 7]);
	assert.deepEqual(binsOf(['sgd', 'adam', true, 'sgd']).labels, ['adam', 'sgd', 'true']);
	const mixed = ['1', 1, true, 'true', 'a'];
	assert.deepEqual(binsOf(mixed).labels, ['"1"', '"true"', '1', 'a', 'true']);
	assert.deepEqual(mixed.map(binsOf(mixed).of), [0, 2, 4, 1, 3]);
	const many = binsOf(Array.from({ length: 30 }, (_, at) => `w${at + 10}`));
	assert.deepEqual([many.labels.length, many.of('w10'), many.of('w39')], [20, 0, null]);
});

test('medians of cells count their trials', () => {
	const heat = heatOf([{ x: 1, y: 'a', value: 5 }, { x: 1, y: 'a', value: 1 }, { x: 1, y: 'a', value: 3 }, { x: 2, y: 'b', value: 4 }, { x: 2, y: 'b', value: 8 }, { x: undefined, y: 'b', value: 1 }]);
	assert.deepEqual(heat, { xs: ['1', '2'], ys: ['a', 'b'], count: 5, left: 1,
		cells: [{ x: 1, y: 1, values: [4, 8], median: 6 }, { x: 0, y: 0, values: [5, 1, 3], median: 3 }] });
});
