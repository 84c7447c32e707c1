import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
globalThis.SharedWorker = class extends EventTarget {
	port = { addEventListener() {}, start() {}, postMessage() {} };
};
const { borrowRun } = await import('../../../web-static/js/run/run_data.js');

const settled = () => new Promise(setImmediate);

test('an answer that is older than what was told meanwhile does not write over it', async () => {
	const held = [];
	const stored = { id: 'r1', display_name: 'before', rows: 100, last_step: 6, state: 'running' };
	let isHeld = false;
	globalThis.fetch = async (url) => {
		const isRun = url.pathname.endsWith('/runs/r1');
		const answer = Response.json(isRun ? stored : { items: [], next_cursor: null });
		if (isHeld && isRun) await new Promise((done) => held.push(done));
		return answer;
	};
	const { data } = await borrowRun({ entity: 'ann', project: 'p', run: 'r1' }, null);
	isHeld = true;
	const reading = data.read(['run']);
	await settled();
	data.move({ id: 'r1', rows: 101 });
	held[0]();
	await reading;
	assert.equal(data.run.rows, 101, 'by an event');
	const second = data.read(['run']);
	await settled();
	data.takeRun({ ...stored, display_name: 'renamed' });
	held[1]();
	await second;
	assert.equal(data.run.display_name, 'renamed', 'by a change of one\'s own');
	isHeld = false;
	await data.read(['run']);
	assert.equal(data.run.display_name, 'before', 'what was asked for later is newer');
	assert.equal(data.noted.isSeen, false);
	data.move({ id: 'r1', last_step: 7 });
	assert.deepEqual([data.noted.step, data.noted.isSeen], [7, true], 'a step is seen to move');
	data.release();
});
