import assert from 'node:assert/strict';
import test, { mock } from 'node:test';

import { readOnChange } from '../../../web-static/js/run/read_on_change.js';

mock.timers.enable({ apis: ['setTimeout'] });

/* What is wanted is a number; each reading waits for its answer(), of which `answer` is the last one's. */
function readings() {
	const made = { wanted: 0, asked: 0, shown: [], answer: null };
	const turns = readOnChange({ wanted: () => String(made.wanted), read: () => new Promise((resolve) => {
		made.asked++;
		made.answer = async (got) => {
			resolve(got);
			for (let n = 0; n < 5; n++) await null;
		};
	}), show: (got) => made.shown.push(got) });
	const change = () => {
		made.wanted++;
		turns.update();
		mock.timers.tick(0);
	};
	return Object.assign(made, turns, { change });
}

test('what changes all the time is shown, by one reading at a time', async () => {
	const one = readings();
	for (let n = 0; n < 9; n++) one.change();
	assert.equal(one.asked, 1);
	await one.answer('a');
	one.change();
	assert.deepEqual([one.asked, one.shown], [1, ['a']]);
	mock.timers.tick(1000);
	assert.equal(one.asked, 2);
	await one.answer('b');
	mock.timers.tick(60000);
	assert.deepEqual([one.asked, one.shown], [2, ['a', 'b']]);
});

test('what failed is read again, and hurry waits for nobody', async () => {
	const one = readings();
	one.change();
	await one.answer(null);
	mock.timers.tick(4999);
	assert.equal(one.asked, 1);
	mock.timers.tick(1);
	assert.equal(one.asked, 2);
	one.wanted++;
	const before = one.answer;
	one.hurry();
	await before('of before');
	assert.deepEqual([one.asked, one.shown], [3, []]);
	await one.answer('of now');
	one.wanted++;
	one.hurry();
	assert.deepEqual([one.asked, one.shown], [4, ['of now']]);
	one.stop();
	await one.answer('too late');
	mock.timers.tick(60000);
	assert.deepEqual([one.asked, one.shown], [4, ['of now']]);
});

