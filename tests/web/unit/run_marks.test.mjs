import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow('http://cairn.test/ann/p/runs/r/charts');
const { runMarks } = await import('../../../web-static/js/chart/data/run_marks.js');

test('marks are told of when they are asked for, not while they are made', () => {
	let told = 0;
	const run = { states: [], alerts: [{ title: 'Hot', level: 'warn', created_at: '2026-01-01T00:00:01Z' }] };
	const made = runMarks({ path: 'projects/ann/p/runs/r', run, page: { look: {} }, changed: () => told++ });
	assert.deepEqual([told, made.at('_timestamp')], [0, []]);
	made.update();
	assert.deepEqual([told, made.at('_timestamp').map(({ name, kind }) => [name, kind])], [1, [['Hot', 'warn']]]);
	made.update();
	assert.equal(told, 1, 'of the same only once');
	made.stop();
});
