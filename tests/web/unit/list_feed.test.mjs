import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
mock.timers.enable({ apis: ['setTimeout'] });
let now = 1000;
mock.method(performance, 'now', () => now);
const { listFeed } = await import('../../../web-static/js/list/list_feed.js');

const settled = () => new Promise(setImmediate);
const idsTo = (from, to) => Array.from({ length: to - from }, (_, at) => `r${from + at}`);

/* A feed of a list of 1,000 runs that are read and drawn, of which some are seen. `looks`: the runs of each look. */
function feedOf({ seen = idsTo(0, 40), total = 1000, filter = '' } = {}) {
	const looks = [];
	const told = [];
	let hear = null;
	const model = { size: total, count: total, total: () => model.size, view: () => ({ filter }), tell() {},
		loaded: () => idsTo(0, total).map((id) => ({ id })), async look(ids, isCounting) {
			looks.push(ids);
			return { count: isCounting ? model.count : null };
		} };
	const feed = listFeed({ address: { entity: 'ann', project: 'p' }, model, seenIds: () => seen, drawnIds: () => idsTo(0, total),
		came: (count) => told.push(count), lost() {}, changed() {}, wentOn() {}, state: { fail() {}, fresh() {} },
		reload: () => told.push('reload'), follow: (_, listener) => {
			hear = listener;
			return () => {};
		} });
	feed.start();
	feed.began();
	async function pass(times = 1, ms = 5000) {
		for (let at = 0; at < times; at++) {
			now += ms;
			mock.timers.tick(ms);
			await settled();
		}
	}
	return { feed, model, looks, told, pass, hear: (type, data) => hear({ type, data }) };
}

test('where streams do not come through all that is drawn has its turn, what is seen first', async () => {
	const { looks, pass, hear } = feedOf({ seen: idsTo(500, 540) });
	hear('again');
	await pass(7);
	assert.ok(looks.every((ids) => ids.length <= 150));
	assert.deepEqual(looks[0].slice(0, 40), idsTo(500, 540));
	assert.deepEqual(looks.flat().sort(), idsTo(0, 1000).sort(), 'each once');
	await pass();
	assert.equal(looks.length, 7);
});

test('what was not looked at when all is marked anew comes before what was', async () => {
	const { looks, pass, hear } = feedOf();
	for (let at = 0; at < 3; at++) {
		hear('again');
		await pass(3);
	}
	assert.deepEqual([...new Set(looks.flat())].sort(), idsTo(0, 1000).sort());
});

test('runs beside those of the list are counted anew when it turns out to be of another length', async () => {
	const { feed, model, told, pass, hear } = feedOf();
	model.count = 1050;
	hear('run', { items: [{ id: 'r1', state: 'running' }] });
	await pass();
	assert.deepEqual(told, [50]);
	model.size = 990;
	feed.sized();
	await pass();
	assert.deepEqual(told, [50, 60]);
	model.count = 980;
	hear('gone', { items: [] });
	await pass(4);
	assert.deepEqual(told, [50, 60, 'reload'], 'what was never told');
});

test('fewer are counted for a while: which went is told of a list without a filter', async () => {
	const { model, told, pass, hear } = feedOf();
	model.count = 990;
	hear('run', { items: [{ id: 'r1', state: 'running' }] });
	await pass(10, 1000);
	assert.deepEqual(told, []);
	await pass(2, 1000);
	assert.deepEqual(told, ['reload']);
});

test('fewer are found by a filter: nobody says which, the list is read anew', async () => {
	const { model, told, pass, hear } = feedOf({ filter: 'loss<1' });
	model.count = 990;
	hear('run', { items: [{ id: 'r1', state: 'running' }] });
	await pass(3, 500);
	assert.deepEqual(told, []);
	await pass(2, 500);
	assert.deepEqual(told, ['reload']);
});

test('fewer are counted after something may have been missed: nothing says which, the list is read anew', async () => {
	const { model, told, pass, hear } = feedOf();
	model.count = 990;
	hear('again');
	await pass(2);
	assert.deepEqual(told, ['reload']);
});

test('fewer are counted before it is told which of the list went: the list stands', async () => {
	const { feed, model, looks, told, pass, hear } = feedOf();
	model.count = 990;
	hear('run', { items: [{ id: 'r1', state: 'running' }] });
	await pass();
	assert.deepEqual(told, []);
	model.size = 980;
	hear('gone', { items: idsTo(100, 120) });
	feed.sized();
	await pass(3);
	assert.deepEqual(told, [10]);
	const before = looks.length;
	await pass(3);
	assert.equal(looks.length, before, 'and it is not looked at on and on');
});
