import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
document.hidden = true;
const timeout = globalThis.setTimeout;
globalThis.setTimeout = (does, ms = 0) => timeout(does, ms);
globalThis.requestAnimationFrame = (draw) => setTimeout(draw);

const sent = [];
let take = null;
let status = 0; /* of a request; 0: nobody answers */

globalThis.SharedWorker = class extends EventTarget {
	port = { addEventListener: (_, listener) => { take = listener; }, start() {}, postMessage: (message) => sent.push(message) };
};
globalThis.fetch = async () => {
	if (!status) throw new TypeError('nobody answers');
	return new Response('{}', { status });
};
const { follow } = await import('../../../web-static/js/live.js');

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a tab that is opened hidden rests after a minute, and wakes when it is seen', () => {
	dispatchEvent(new Event('pageshow'));
	const stop = follow({ entity: 'a', project: 'b' }, () => {});
	mock.timers.tick(59000);
	assert.deepEqual(Object.keys(sent.at(-1).wants), ['projects/a/b']);
	mock.timers.tick(2000);
	assert.deepEqual(sent.at(-1).wants, {});
	document.hidden = false;
	document.dispatchEvent(new Event('visibilitychange'));
	assert.deepEqual(Object.keys(sent.at(-1).wants), ['projects/a/b']);
	stop();
	mock.timers.tick(10);
});

test('who is signed out while the server is away goes on; what is not to be seen any more is gone', async () => {
	const heard = [];
	const stop = follow({ entity: 'a', project: 'b' }, ({ type, data }) => heard.push([type, data.reason]));
	const end = async (answer) => {
		status = answer;
		take({ data: [{ path: 'projects/a/b', type: 'end', data: { reason: 'unauthorized' } }] });
		await settled();
		mock.timers.tick(300);
	};
	mock.timers.tick(10);
	for (const answer of [0, 500, 200]) {
		sent.length = 0;
		await end(answer);
		assert.deepEqual([heard, sent.map(({ retry }) => retry)], [[], [true]], `${answer}`);
	}
	for (const answer of [401, 403, 404, 410]) await end(answer);
	assert.deepEqual(heard, new Array(4).fill(['end', 'gone']));
	stop();
});

test('events of runs that come within a frame are one, each run as the last of them has it', () => {
	const heard = [];
	const stop = follow({ entity: 'a', project: 'b' }, ({ type, data }) => heard.push([type, data.items]));
	mock.timers.tick(10);
	const of = (type, ...items) => ({ path: 'projects/a/b', type, data: { items } });
	take({ data: [of('run', { id: 'x', rows: 1, state: 'running' }), of('run', { id: 'y', rows: 5 }, { id: 'x', rows: 2 })] });
	take({ data: [of('gone', { id: 'z' }), of('run', { id: 'x', rows: 3 })] });
	mock.timers.tick(300);
	assert.deepEqual(heard, [
		['run', [{ id: 'x', rows: 2, state: 'running' }, { id: 'y', rows: 5 }]],
		['gone', [{ id: 'z' }]],
		['run', [{ id: 'x', rows: 3 }]],
	]);
	stop();
	mock.timers.tick(10);
});

test('however often something comes, listeners are told ten times a second at most, and of the last at the end', () => {
	const heard = [];
	const stop = follow({ entity: 'a', project: 'b' }, ({ data }) => heard.push(data.items[0].rows));
	mock.timers.tick(300);
	for (let rows = 0; rows < 100; rows++) {
		take({ data: [{ path: 'projects/a/b', type: 'run', data: { items: [{ id: 'x', rows }] } }] });
		mock.timers.tick(10);
	}
	mock.timers.tick(300);
	assert.equal(heard.at(-1), 99);
	assert.ok(heard.length >= 5 && heard.length <= 12, `${heard.length}`);
	stop();
	mock.timers.tick(10);
});

test('a listener that fails is told, and takes no event from the others', (t) => {
	const faults = [];
	const heard = [];
	globalThis.reportError = (fault) => faults.push(fault.message);
	t.after(() => delete globalThis.reportError);
	const stops = [() => { throw new Error('ours'); }, ({ type }) => heard.push(type)]
		.map((listener) => follow({ entity: 'a', project: 'b' }, listener));
	mock.timers.tick(10);
	take({ data: [{ path: 'projects/a/b', type: 'run', data: { items: [{ id: 'r1' }] } },
		{ path: 'projects/a/b', type: 'gone', data: { items: [{ id: 'r2' }] } }] });
	mock.timers.tick(300);
	assert.deepEqual([faults, heard], [['ours', 'ours'], ['run', 'gone']]);
	stops.forEach((stop) => stop());
});
