import assert from 'node:assert/strict';
import { test } from 'node:test';

import { reread } from '../../../web-static/js/base/reread.js';

/* Answers that the test gives, one for each reading; all promises have gone on when `settled` has. */
function readings() {
	const open = [];
	const signals = [];
	const read = (signal) => new Promise((resolve) => {
		open.push(resolve);
		signals.push(signal);
	});
	const settled = async () => { for (let at = 0; at < 10; at++) await null; };
	return { open, signals, read, answer: (at, failed) => (open[at](failed), settled()) };
}

test('what is asked for while it reads is read after it', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { open, read, answer } = readings();
	const turns = reread(read, () => 1000);
	turns.soon();
	t.mock.timers.tick(0);
	assert.equal(open.length, 1);
	turns.soon();
	t.mock.timers.tick(60000);
	assert.equal(open.length, 1, 'one at a time');
	await answer(0, null);
	t.mock.timers.tick(1000);
	assert.equal(open.length, 2);
	await answer(1, null);
	t.mock.timers.tick(60000);
	assert.equal(open.length, 2, 'nobody asked');
});

test('what failed is read again later, and tells who waits for it', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { open, read, answer } = readings();
	const turns = reread(read, () => 1000);
	const first = turns.now();
	await answer(0, 'no');
	assert.equal(await first, 'no');
	t.mock.timers.tick(4000);
	assert.equal(open.length, 1);
	t.mock.timers.tick(1000);
	assert.equal(open.length, 2);
});

test('a reading that threw is told, and read again as one that failed', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const told = [];
	globalThis.reportError = (fault) => told.push(fault.message);
	t.after(() => delete globalThis.reportError);
	let readings = 0;
	const turns = reread(async () => {
		if (readings++ < 2) throw new Error(`odd ${readings}`);
	}, () => 0);
	await assert.rejects(turns.now());
	for (const [ms, count] of [[4000, 1], [1000, 2], [60000, 3], [60000, 3]]) {
		t.mock.timers.tick(ms);
		await new Promise(setImmediate);
		assert.equal(readings, count);
	}
	assert.deepEqual(told, ['odd 2'], 'the first was told to who waited for it');
});

test('what is asked for at once overtakes what is under way', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { open, signals, read, answer } = readings();
	const turns = reread(read, () => 1000);
	turns.now();
	turns.soon();
	turns.now();
	assert.deepEqual(signals.map(({ aborted }) => aborted), [true, false]);
	await answer(0, 'no');
	t.mock.timers.tick(60000);
	assert.equal(open.length, 2, 'of what was overtaken nothing follows');
	await answer(1, null);
	t.mock.timers.tick(60000);
	assert.equal(open.length, 2, 'it was asked for before');
});

test('a shorter rest brings it forward, a longer one does not put it off', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { open, read, answer } = readings();
	let rest = 10000;
	const turns = reread(read, () => rest);
	turns.now();
	await answer(0, null);
	turns.soon();
	rest = 1000;
	turns.soon();
	rest = 60000;
	turns.soon();
	t.mock.timers.tick(1000);
	assert.equal(open.length, 2);
});

test('the rest is told how long the reading took', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { open, read, answer } = readings();
	let now = 0;
	t.mock.method(performance, 'now', () => now);
	const turns = reread(read, (took) => 4 * took);
	turns.now();
	now = 300;
	await answer(0, null);
	turns.soon();
	t.mock.timers.tick(1199);
	assert.equal(open.length, 1);
	t.mock.timers.tick(1);
	assert.equal(open.length, 2);
});

test('nothing is read after the end', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { open, signals, read, answer } = readings();
	const turns = reread(read, () => 0);
	turns.soon();
	t.mock.timers.tick(0);
	turns.soon();
	turns.stop();
	assert.ok(signals[0].aborted);
	await answer(0, null);
	t.mock.timers.tick(60000);
	assert.equal(open.length, 1);
});

test('where the tab is not seen it is read once it is, not before', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { open, read, answer } = readings();
	globalThis.document = Object.assign(new EventTarget(), { hidden: true });
	t.after(() => delete globalThis.document);
	const turn = (hidden) => {
		Object.assign(document, { hidden }).dispatchEvent(new Event('visibilitychange'));
		t.mock.timers.tick(0);
	};
	const turns = reread(read, () => 0);
	turns.now();
	await answer(0, 'no');
	for (let at = 0; at < 3; at++) {
		turns.soon();
		t.mock.timers.tick(60000);
	}
	assert.equal(open.length, 1);
	turn(false);
	assert.equal(open.length, 2);
	turn(true);
	await answer(1, 'no');
	t.mock.timers.tick(60000);
	turns.stop();
	turn(false);
	assert.equal(open.length, 2, 'nobody wants it any more');
});
