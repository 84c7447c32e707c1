import assert from 'node:assert/strict';
import test, { mock } from 'node:test';

import { marks } from '../../../web-static/js/run/marks.js';

mock.timers.enable({ apis: ['setTimeout'] });

/* A clock of its own moves with the timers; `rests` are milliseconds by name, `faults` fail once. */
function reader() {
	const made = { asked: [], rests: {}, faults: [], told: 0 };
	let now = 0;
	mock.method(performance, 'now', () => now);
	const { mark, stop } = marks({
		restOf: (name) => (made.rests[name] ?? 0) - now,
		told: () => made.told++,
		read: async (names) => {
			made.asked.push(names.join());
			return made.faults.splice(0);
		},
	});
	const pass = async (ms) => {
		now += ms;
		mock.timers.tick(ms);
		for (let n = 0; n < 9; n++) await null;
	};
	return Object.assign(made, { mark, stop, pass });
}

test('marks that come together are read once', async () => {
	const one = reader();
	one.mark(['run']);
	one.mark(['run', 'writers']);
	await one.pass(250);
	await one.pass(9000);
	assert.deepEqual([one.asked, one.told], [['run,writers'], 1]);
});

test('what must rest is read when it may be, and holds nothing up', async () => {
	const one = reader();
	one.rests.writers = 8000;
	one.mark(['writers']);
	await one.pass(1000);
	one.mark(['run', 'writers']);
	await one.pass(250);
	assert.deepEqual(one.asked, ['run']);
	await one.pass(6749);
	assert.deepEqual(one.asked, ['run']);
	await one.pass(1);
	assert.deepEqual(one.asked, ['run', 'writers']);
});

test('what could not be read is read again, until nobody looks', async () => {
	const one = reader();
	one.faults = ['summary'];
	one.mark(['run', 'summary']);
	await one.pass(250);
	await one.pass(4999);
	assert.deepEqual([one.asked, one.told], [['run,summary'], 1]);
	await one.pass(1);
	assert.deepEqual(one.asked, ['run,summary', 'summary']);
	one.mark(['run']);
	one.stop();
	await one.pass(60000);
	assert.equal(one.asked.length, 2);
});

test('where the tab is not seen it is read when it is', async (t) => {
	globalThis.document = Object.assign(new EventTarget(), { hidden: true });
	t.after(() => delete globalThis.document);
	const one = reader();
	one.mark(['run']);
	await one.pass(60000);
	one.mark(['writers']);
	await one.pass(60000);
	assert.deepEqual(one.asked, []);
	Object.assign(document, { hidden: false }).dispatchEvent(new Event('visibilitychange'));
	await one.pass(250);
	assert.deepEqual(one.asked, ['run,writers']);
});

test('a fault of our own is told, and what it was to read is read again later', async (t) => {
	const faults = [];
	globalThis.reportError = (fault) => faults.push(fault.message);
	t.after(() => delete globalThis.reportError);
	const one = reader();
	one.faults.splice = () => { throw new Error('ours'); };
	one.mark(['run']);
	await one.pass(250);
	delete one.faults.splice;
	await one.pass(4900);
	assert.deepEqual([one.asked, faults], [['run'], ['ours']]);
	await one.pass(200);
	assert.deepEqual(one.asked, ['run', 'run']);
});
