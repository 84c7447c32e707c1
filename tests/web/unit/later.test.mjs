import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { later } = await import('../../../web-static/js/ui/later.js');

test('all is done in the order in which it was asked for, whichever import is told first', async () => {
	const told = [];
	const part = later(() => new Promise((resolve) => told.push(resolve)));
	const done = [];
	const both = [part.each(() => done.push('first')), part.each(() => done.push('second'))];
	told.reverse().forEach((resolve) => resolve({}));
	await Promise.all(both);
	assert.deepEqual(done, ['first', 'second']);
	await part.each(() => done.push('third'));
	assert.deepEqual([told.length, done.at(-1)], [1, 'third'], 'what is there is not loaded again');
});
