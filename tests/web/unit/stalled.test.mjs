/* Alive without progress: whose step does not move for longer than the limit, whatever rows come. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeShapes, makeWindow } from './browser.mjs';

makeWindow();
makeShapes();
const { clocks } = await import('../../../web-static/js/run/clocks.js');
const { noteStep } = await import('../../../web-static/js/run/run_data.js');
const { stalledFor } = await import('../../../web-static/js/run/stalled.js');

const NOW = Date.now();
const LIMIT_S = 300;
const ago = (seconds) => new Date(NOW - seconds * 1000).toISOString();
const row = (step, secondsAgo, label = 'a') => ({ _step: step, _timestamp: NOW / 1000 - secondsAgo, _label: label });
const writer = (more) => ({ label: 'a', state: 'alive', lag_s: 1, data_at: ago(2), dropped_rows: 0, ...more });

/* A run at step 50 that began two hours ago, whose rows come, looked at for a minute. */
function runOf({ run, writers = [writer()], noted = { step: 50, since: NOW - 60_000, isSeen: false }, alive = 1 } = {}) {
	return { limit: LIMIT_S, writers, noted, summary: {}, states: [], total: null, look: () => ({ counts: { alive } }),
		run: { rows: 0, last_step: 50, ended_at: null, started_at: ago(7200), heard_at: ago(2), unread_lines: 0, state: 'running', ...run } };
}

const still = (about, rows = []) => Math.round(stalledFor(runOf(about), rows, NOW));

test('a step is noted since when it was seen to be so', () => {
	const first = noteStep(null, 5, 1000);
	assert.deepEqual(first, { step: 5, since: 1000, isSeen: false });
	assert.equal(noteStep(first, 5, 9000), first);
	assert.deepEqual(noteStep(first, 6, 9000), { step: 6, since: 9000, isSeen: true });
});

test('rows that come at one step are no progress', () => {
	const rows = [row(49, 900), row(50, 800), row(50, 400), row(50, 2)];
	assert.equal(still({}, rows), 799, 'since the first row at that step, and as late as rows of that writer come');
	assert.equal(still({}, rows.map((one) => ({ ...one, _step: one._step - 1 }))), 0, 'no row tells when it came to the last step');
	assert.equal(still({}, [row(49, 400), row(50, 200), row(50, 2)]), 0, 'within the limit');
	assert.equal(still({ noted: { step: 50, since: NOW - 1000, isSeen: true } }, rows), 0, 'it was seen to move');
	assert.equal(still({ noted: { step: 50, since: NOW - 400_000, isSeen: true } }, [row(50, 2)]), 400);
	assert.equal(still({ noted: { step: 50, since: NOW - 400_000, isSeen: false } }), 400, 'it was looked at for so long');
});

test('no data is no progress, either', () => {
	assert.equal(still({ writers: [writer({ data_at: ago(600) }), writer({ data_at: null })] }), 600);
	assert.equal(still({ writers: [writer({ data_at: ago(600) }), writer({ data_at: ago(10) })] }), 0);
	assert.equal(still({ writers: [writer({ data_at: ago(600) })], run: { started_at: ago(100) } }), 0, 'it began again');
	assert.equal(still({ noted: { step: 50, since: NOW - 900_000, isSeen: true }, run: { started_at: ago(100) } }), 0, 'it began again since');
});

test('a clock that is wrong, and rows that came late, make no run stand still', () => {
	assert.equal(still({ writers: [writer({ lag_s: 3600 })] }, [row(49, 3700), row(50, 3610)]), 0);
	assert.equal(still({ writers: [writer({ lag_s: -3600 })] }, [row(50, -3590)]), 0);
	assert.equal(still({}, [row(50, 800, 'gone')]), 0, 'nobody knows its lag');
	assert.equal(still({}, [{ _step: 50, _label: 'a' }]), 0, 'a row without a time');
});

test('who is not heard, has no step or has ended is not said to stand still', () => {
	const rows = [row(50, 800)];
	assert.equal(still({}, rows), 799);
	assert.deepEqual([still({ alive: 0 }, rows), still({ run: { last_step: null } }, rows), still({ run: { ended_at: ago(1) } }, rows)], [0, 0, 0]);
});

test('clocks tell their limits, when data came and that the step does not move', (t) => {
	t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: NOW });
	const told = (about) => clocks(runOf(about)).node.children.map((clock) => clock.said());
	assert.deepEqual(told({}), ['Heartbeat2 s agolimit 5 min', 'Data0 rows2 s ago, limit 5 min, 0 dropped', 'Progressstep 50limit 5 min']);
	const [, , progress] = told({ noted: { step: 50, since: NOW - 400_000, isSeen: true } });
	assert.equal(progress, 'Progressstep 50stalled: alive, its step has not moved for 6 min 40 s, limit 5 min');
	const ended = told({ run: { ended_at: ago(2), state: 'failed' }, noted: { step: 50, since: NOW - 400_000, isSeen: true } });
	assert.deepEqual(ended, ['Heartbeat2 s agofailed', 'Data0 rows2 s ago, 0 dropped', 'Progressstep 50']);
});
