import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { ask } = await import('../../../web-static/js/api.js');

const settled = () => new Promise(setImmediate);

/* Answers in turn, as fetch gives them; ends with the signal, as it does. */
function answers(t, ...all) {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const asked = [];
	t.mock.method(globalThis, 'fetch', async (url, { signal }) => {
		signal?.throwIfAborted();
		asked.push(url.pathname);
		const [status, after] = all[Math.min(asked.length, all.length) - 1];
		return new Response('{}', { status, headers: after === undefined ? {} : { 'Retry-After': after } });
	});
	return asked;
}

for (const [after, seconds] of [['2', 2], [undefined, 1], ['Wed, 21 Oct 2026 07:28:00 GMT', 1], ['-5', 1], ['3600', 10]]) {
	test(`who is told to come again after ${after} does so after ${seconds} s`, async (t) => {
		const asked = answers(t, [503, after], [200]);
		const answer = ask('GET', 'x');
		await settled();
		t.mock.timers.tick(seconds * 1000 - 1);
		await settled();
		assert.equal(asked.length, 1);
		t.mock.timers.tick(1);
		assert.equal((await answer).status, 200);
		assert.equal(asked.length, 2);
	});
}

test('who waits to come again is called off at once, and asks no more', async (t) => {
	const asked = answers(t, [503, '9'], [200]);
	const ends = new AbortController();
	const answer = ask('GET', 'x', undefined, { signal: ends.signal });
	await settled();
	ends.abort();
	assert.equal((await answer).status, 0);
	t.mock.timers.tick(60000);
	await settled();
	assert.equal(asked.length, 1);
});

test('a server that stays busy is told as such after five tries', async (t) => {
	const asked = answers(t, [503, '1']);
	const answer = ask('GET', 'x');
	for (let tries = 0; tries < 9; tries++) {
		await settled();
		t.mock.timers.tick(1000);
	}
	assert.deepEqual([(await answer).status, asked.length], [503, 5]);
});
