import assert from 'node:assert/strict';
import test from 'node:test';

import { PAGE, pagedList } from '../../../web-static/js/runs/paged.js';

/* A server of `count` runs, and a list of them; `settle()` waits until nothing is under way. */
function listOf(count) {
	const asked = [];
	let underWay = Promise.resolve();
	const server = { count, extra: 0, fault: null };
	const list = pagedList({
		ask(query) {
			asked.push(query.offset || 0);
			const from = query.offset || 0;
			const items = Array.from({ length: Math.max(0, Math.min(query.limit, server.count - from)) }, (_, at) => ({ id: `r${from + at}` }));
			underWay = Promise.resolve(server.fault || { status: 200, body: { items, count: server.count + server.extra } });
			return underWay;
		},
		changed() {},
		failed: (answer) => asked.push(answer.status),
	});
	async function settle() {
		for (let before = null; before !== underWay;) {
			before = underWay;
			await new Promise(setImmediate);
		}
	}
	return { list, asked, server, settle };
}

test('a jump reads what is there and nothing between', async () => {
	const { list, asked, settle } = listOf(100000);
	assert.equal(await list.restart(), null);
	assert.deepEqual([list.total(), list.at(0).id, list.at(90000)], [100000, 'r0', undefined]);
	list.need({ from: 89990, to: 90040 });
	await settle();
	assert.equal(list.at(90000).id, 'r90000');
	assert.equal(list.place('r90000'), 90000);
	assert.deepEqual(asked, [0, 89800, 90000]);
	list.need({ from: 90010, to: 90020 });
	await settle();
	assert.equal(asked.length, 3);
});

test('the last page is as long as it is', async () => {
	const { list, asked, settle } = listOf(PAGE + 3);
	await list.restart();
	list.need({ from: 190, to: 240 });
	await settle();
	assert.equal(list.loaded().length, PAGE + 3);
	assert.deepEqual(asked, [0, PAGE]);
});

test('a last page that was read short is read again once the list is known to be longer', async () => {
	const { list, asked, server, settle } = listOf(2 * PAGE + 3);
	await list.restart();
	list.need({ from: 2 * PAGE, to: 2 * PAGE + 40 });
	await settle();
	server.count = 2 * PAGE + 5;
	list.need({ from: PAGE, to: 2 * PAGE + 40 });
	await settle();
	assert.deepEqual([list.total(), list.at(2 * PAGE + 4).id, asked], [2 * PAGE + 5, `r${2 * PAGE + 4}`, [0, 2 * PAGE, PAGE, 2 * PAGE]]);
	list.need({ from: 0, to: PAGE });
	await settle();
	assert.equal(asked.length, 4, 'full pages stay');
});

test('of a page that has less than is counted no more is asked for', async () => {
	const { list, asked, server, settle } = listOf(PAGE + 3);
	server.extra = 2;
	await list.restart();
	list.need({ from: 190, to: 240 });
	await settle();
	assert.deepEqual([list.total(), asked], [PAGE + 5, [0, PAGE]]);
});

test('what was read stays when a page fails, and when all is asked for anew in vain', async () => {
	const { list, asked, server, settle } = listOf(500);
	await list.restart();
	server.fault = { status: 0 };
	list.need({ from: 300, to: 340 });
	await settle();
	assert.equal((await list.restart()).status, 0);
	assert.equal(list.at(5).id, 'r5');
	assert.deepEqual(asked, [0, 200, 0, 0]);
});

test('runs that went make room, and those that changed stay in their places', async () => {
	const { list } = listOf(PAGE);
	await list.restart();
	list.drop(new Set(['r0', 'r1']));
	assert.deepEqual([list.total(), list.at(0).id, list.place('r2')], [PAGE - 2, 'r2', 0]);
	list.put([{ id: 'r3', state: 'failed' }]);
	assert.deepEqual(list.at(1), { id: 'r3', state: 'failed' });
	assert.equal(list.place('none'), Infinity);
});

test('rows lack as long as they are wanted and could not be read', async () => {
	const { list, server, settle } = listOf(500);
	await list.restart();
	const needs = async (from) => {
		list.need({ from, to: from + 40 });
		await settle();
		return list.lacks();
	};
	assert.equal(await needs(0), false);
	server.fault = { status: 500 };
	assert.deepEqual([await needs(300), await needs(0), await needs(300)], [true, false, true]);
	server.fault = null;
	assert.equal(await needs(300), false);
	server.fault = { status: 500 };
	assert.equal(await needs(450), true);
	server.fault = null;
	await list.restart();
	assert.equal(list.lacks(), false, 'all is read anew');
});
