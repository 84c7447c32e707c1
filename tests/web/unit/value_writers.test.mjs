import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();

const { valueWriters, writersOf } = await import('../../../web-static/js/run/value_writers.js');

const item = (path, label, edited = false) => ({ path: path.split('.'), label, edited });

/* A run whose answers the test gives: `asked` are [path, answer]. */
function scene(t, labels) {
	const asked = [];
	let told = 0;
	t.mock.timers.enable({ apis: ['setTimeout'] });
	t.mock.method(globalThis, 'fetch', (path) => new Promise((resolve) => {
		asked.push([String(path), (items) => resolve(Response.json({ items }))]);
	}));
	const data = { path: '/r', config: { lr: 1 }, summary: { loss: 1 }, writers: labels.map((label) => ({ label })) };
	const writers = valueWriters(data, () => told++);
	const answer = async (part, items) => {
		const at = asked.findIndex(([path]) => path.includes(part));
		const before = told;
		asked.splice(at, 1)[0][1](items);
		while (told === before) await new Promise(setImmediate);
		await new Promise(setImmediate);
	};
	const tick = (ms) => t.mock.timers.tick(ms);
	tick(0);
	return { data, writers, asked, answer, tick, paths: () => asked.map(([path]) => path) };
}

test('a value that is another by now is of nobody until it is asked again', () => {
	const asked = { a: 1, b: { c: [1], d: 2 } };
	const writers = new Map([['a', 'one'], ['b\0c', 'two'], ['b\0d', 'two']]);
	assert.equal(writersOf(asked, asked, writers), writers);
	const now = writersOf({ a: 1, b: { c: [2], d: 2 }, e: 3 }, asked, writers);
	assert.deepEqual([now.get('a'), now.get('b\0d')], ['one', 'two']);
	assert.ok(now.get('b\0c').isPast && now.get('e').isPast);
});

test('the writer of the value before does not stand beside the new one', async (t) => {
	const run = scene(t, ['rank0', 'eval']);
	await run.answer('summary', [item('loss', 'rank0')]);
	assert.equal(run.writers.of('summary').get('loss').label, 'rank0');
	run.data.summary = { loss: 0.5 };
	run.writers.update();
	assert.ok(run.writers.of('summary').get('loss').isPast);
	assert.equal(run.writers.of('summary'), run.writers.of('summary'), 'the same as long as the document is');
	run.tick(1000);
	run.data.summary = { loss: 0.25 };
	await run.answer('summary', [item('loss', 'eval')]);
	assert.ok(run.writers.of('summary').get('loss').isPast, 'it was asked for the value before');
	run.writers.stop();
});

test('with many writers it is read again after ten seconds', async (t) => {
	const run = scene(t, Array.from({ length: 501 }, (_, number) => `rank${number}`));
	await run.answer('summary', [item('loss', 'rank0')]);
	run.data.summary = { loss: 0.5 };
	run.writers.update();
	run.tick(9000);
	assert.ok(!run.paths().some((path) => path.includes('summary')));
	run.tick(1000);
	assert.ok(run.paths().some((path) => path.includes('summary')));
	run.writers.stop();
});

test('of one writer edits alone are told', async (t) => {
	const run = scene(t, ['rank0']);
	await run.answer('summary', [item('loss', 'rank0')]);
	await run.answer('config', [item('lr', 'rank0')]);
	assert.deepEqual([run.writers.of('config'), run.writers.of('summary')], [null, null]);
	run.data.summary = { loss: 0.5 };
	run.writers.update();
	run.tick(60000);
	assert.deepEqual(run.paths(), [], 'rows change nothing of it');
	run.data.config = { lr: 2 };
	run.data.summary = { loss: 0.5 };
	run.writers.update();
	run.tick(60000);
	assert.equal(run.paths().length, 2);
	await run.answer('config', [item('lr', null, true)]);
	assert.ok(run.writers.of('config').get('lr').edited);
	run.writers.stop();
});
