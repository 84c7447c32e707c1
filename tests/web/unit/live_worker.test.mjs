import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
globalThis.EventSource = class extends EventTarget {
	close() {}
};
await import('../../../web-static/js/live_worker.js');

function tab() {
	const told = [];
	const port = Object.assign(new EventTarget(), { start() {}, postMessage: (messages) => told.push(...messages.map(({ type }) => type)) });
	dispatchEvent(Object.assign(new Event('connect'), { ports: [port] }));
	const say = () => port.dispatchEvent(new MessageEvent('message', { data: { wants: { 'projects/a/b': { runs: [], streams: [], turn: 1 } } } }));
	return { told, say, forgotten: () => told.filter((type) => type === 'forgotten').length };
}

test('a tab that says nothing is forgotten once, and is back as soon as it speaks', () => {
	const one = tab();
	one.say();
	mock.timers.tick(300000);
	assert.equal(one.forgotten(), 1);
	one.told.length = 0;
	one.say();
	mock.timers.tick(100);
	assert.ok(one.told.includes('how'));
	mock.timers.tick(300000);
	assert.equal(one.forgotten(), 1);
});
