import assert from 'node:assert/strict';
import { test } from 'node:test';

import { reread } from '../../../web-static/js/reread.js';

/* Answers that the test gives, one for each reading; all promises have gone on when `settled` has. */
function readings() {
	const open = [];
	const read = () => new Promise((resolve) => open.push(resolve));
	const settled = async () => { for (let at = 0; at < 10; at++) await null; };
	return { open, read, answer: (at, failed) => (open[at](failed), settled()) };
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

test('it goes on after a reading that threw', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	let readings = 0;
	const turns = reread(async () => {
		if (!readings++) throw new Error('odd');
	}, () => 0);
	await assert.rejects(turns.now());
	turns.soon();
	t.mock.timers.tick(60000);
	assert.equal(readings, 2);
});

test('nothing is read after the end', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { open, read, answer } = readings();
	const turns = reread(read, () => 0);
	turns.soon();
	t.mock.timers.tick(0);
	turns.soon();
	turns.stop();
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
