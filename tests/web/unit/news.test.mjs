import assert from 'node:assert/strict';
import test from 'node:test';

import { runNow, runWords } from '../../../web-static/js/run/run_news.js';
import { runsNews } from '../../../web-static/js/list/runs_news.js';

const BEGAN = Date.parse('2026-03-01T10:00:00Z');
const run = (id, state, more) => ({ id, state, created_at: '2026-03-01T09:00:00Z', ended_at: null, ...more });
const AFTER = '2026-03-01T10:05:00Z';

test('runs that are new, and those that came to another state, are told once', () => {
	const news = runsNews(BEGAN);
	const told = (...runs) => {
		runs.forEach(news.take);
		return news.told();
	};
	assert.equal(told(), '');
	assert.equal(told(run('a', 'running'), { id: 'a', rows: 5 }), '');
	assert.equal(told(run('a', 'finished', { ended_at: AFTER }), run('b', 'finished', { ended_at: AFTER }), run('c', 'crashed', { ended_at: AFTER }),
		...['x', 'y', 'z'].map((id) => run(id, 'running', { created_at: AFTER }))), '1 run crashed, 2 runs finished, 3 new runs');
	assert.equal(told(run('x', 'running', { created_at: AFTER })), '');
	assert.equal(told(run('n', 'failed', { created_at: AFTER, ended_at: AFTER })), '1 run failed, 1 new run');
});

test('who is renamed long after its end, or went and came back, is no news', () => {
	const news = runsNews(BEGAN);
	news.take(run('old', 'finished', { ended_at: '2026-03-01T09:30:00Z' }));
	news.take(run('a', 'running'));
	news.take(run('a', 'crashed', { ended_at: AFTER }));
	news.take(run('a', 'running'));
	assert.equal(news.told(), '');
	news.take(run('old', 'running'));
	assert.equal(news.told(), '1 run running');
});

test('of a run its state is told, and writers that are lost or back', () => {
	const now = (state, ...lost) => runNow({ state }, [{ label: 'rank0', shown: 'alive' }, ...lost.map((label) => ({ label, shown: 'lost' }))]);
	assert.equal(runWords(now('running', 'a'), now('running', 'a')), '');
	assert.equal(runWords(now('running'), now('running', 'a', 'b', 'c', 'd')), 'Writers lost: a, b, c and 1 more.');
	assert.equal(runWords(now('running', 'a'), now('failed', 'b')),
		'The state of the run: failed. Writers lost: b. Writers no longer lost: a.');
});
