import assert from 'node:assert/strict';
import test from 'node:test';

import { PAGE, pagedList } from '../../../web-static/js/list/model/paged.js';

const byAge = (a, b) => b.made - a.made;
const byWorth = (a, b) => a.worth - b.worth || b.made - a.made;

/*
 * A server of runs r0, r1, … that come and go: an offset asks for what stands at a place by now, a cursor for what comes
 * after a run, whether that is still there or not.
 */
function serverOf(number, order) {
	const runs = [];
	const add = (count, worth = (made) => made) => {
		for (let at = 0; at < count; at++) runs.push({ id: `r${runs.length}`, made: runs.length, worth: worth(runs.length) });
	};
	add(number);
	const server = { runs, add, gone: new Set(), fault: null, extra: 0,
		listed: () => runs.filter(({ id }) => !server.gone.has(id)).sort(order),
		answer({ limit, offset = 0, cursor }) {
			if (server.fault) return server.fault;
			const after = cursor && JSON.parse(cursor);
			const all = server.listed();
			const left = after ? all.filter((run) => order(run, after) > 0) : all.slice(offset);
			const items = left.slice(0, limit).map((run) => ({ ...run }));
			return { status: 200, body: { items, count: all.length + server.extra,
				next_cursor: left.length > limit ? JSON.stringify(items.at(-1)) : null } };
		} };
	return server;
}

/* A list of such a server. asked: offsets, 'on' by a cursor, or what failed. */
function listOf(number, { order = byAge, before = () => {} } = {}) {
	const asked = [];
	let underWay = Promise.resolve();
	const server = serverOf(number, order);
	const list = pagedList({
		ask(query) {
			asked.push(query.cursor ? 'on' : query.offset || 0);
			before(server, query);
			underWay = Promise.resolve(server.answer(query));
			return underWay;
		},
		changed() {},
		failed: (answer) => asked.push(answer.status),
	});
	async function settle() {
		for (let last = null; last !== underWay;) {
			last = underWay;
			await new Promise(setImmediate);
		}
	}
	async function see(from, to = from + 40) {
		list.need({ from, to });
		await settle();
	}
	/* From the top to the end, as one scrolls. */
	async function scroll() {
		for (let at = 0; at < list.total(); at += 40) await see(at);
	}
	const ids = () => list.loaded().map(({ id }) => id);
	return { list, asked, server, see, scroll, ids };
}

const idsOf = (runs) => runs.map(({ id }) => id);

test('a jump reads what is there and nothing between', async () => {
	const { list, asked, see } = listOf(100000);
	assert.equal(await list.restart(), null);
	assert.deepEqual([list.total(), list.at(0).id, list.at(90000)], [100000, 'r99999', undefined]);
	await see(89990, 90040);
	assert.equal(list.at(90000).id, 'r9999');
	assert.equal(list.place('r9999'), 90000);
	assert.deepEqual(asked, [0, 89800, 'on']);
	await see(90010, 90020);
	assert.equal(asked.length, 3);
});

test('the last page is as long as it is', async () => {
	const { list, asked, see } = listOf(PAGE + 3);
	await list.restart();
	await see(190, 240);
	assert.equal(list.loaded().length, PAGE + 3);
	assert.deepEqual(asked, [0, 'on']);
});

test('runs that are added before all others double none and lose none of those that are listed', async () => {
	const { list, server, see, scroll, ids } = listOf(1000);
	await list.restart();
	const before = idsOf(server.listed());
	server.add(50);
	await see(200);
	assert.deepEqual([list.total(), ids()], [1000, before.slice(0, 400)]);
	server.add(7);
	await scroll();
	assert.deepEqual([list.total(), ids()], [1000, before]);
	await list.restart();
	assert.deepEqual([list.total(), list.at(0).id], [1057, 'r1056']);
});

test('a jump after runs were added comes to where they are by now, and what is above and below it joins', async () => {
	const { list, server, see, scroll, asked } = listOf(1000);
	await list.restart();
	const before = idsOf(server.listed());
	server.add(50);
	await see(700);
	assert.deepEqual([list.at(700).id, asked], [before[700], [0, 600, 650]]);
	server.add(3);
	await see(590, 640);
	assert.deepEqual([list.at(590).id, asked.slice(3)], [before[590], [450, 453]]);
	await scroll();
	assert.deepEqual(idsOf(list.loaded()), before);
});

test('runs that went unseen leave no holes, and no row twice', async () => {
	const { list, server, see, scroll, ids } = listOf(1000);
	await list.restart();
	await see(600);
	for (const id of ['r700', 'r500', 'r390', 'r100', 'r3']) server.gone.add(id); /* between, where one was, and below */
	server.add(20);
	await scroll();
	const left = idsOf(server.listed()).slice(20);
	assert.deepEqual(ids().filter((id) => !server.gone.has(id)), left);
	assert.equal(new Set(ids()).size, list.total());
	assert.deepEqual(ids().filter((id) => server.gone.has(id)), ['r390'], 'it was read, and is told of');
	list.drop(server.gone);
	assert.deepEqual([ids(), list.total()], [left, left.length]);
});

test('in an order where new runs stand among the others all are found, none twice', async () => {
	for (const places of [[], [600], [960], [300, 700], [990, 500, 120]]) {
		const { list, server, see, scroll, ids } = listOf(1000, { order: byWorth });
		await list.restart();
		for (const place of places) await see(place);
		server.add(60, (made) => (made * 7919) % 1000 + 0.5);
		for (const run of server.runs.slice(3, 900).filter(({ made }) => made % 90 === 0)) server.gone.add(run.id);
		for (const place of places) await see(Math.max(0, place - 90));
		await scroll();
		const found = new Set(ids());
		assert.equal(found.size, ids().length, `${places}: none twice`);
		assert.equal(list.total(), found.size, `${places}: none lacks`);
		assert.deepEqual(server.listed().filter(({ id, made }) => made < 1000 && !found.has(id)), [], `${places}: none lost`);
	}
});

test('a run whose place changes is listed once, and what takes its place is', async () => {
	const { list, server, see, scroll, ids } = listOf(600, { order: byWorth });
	await list.restart();
	server.runs[10].worth = 450.5;
	await see(200);
	server.runs[20].worth = 599.5;
	await scroll();
	assert.deepEqual([ids().length, new Set(ids()).size, list.total()], [600, 600, 600]);
	assert.deepEqual([list.place('r10'), list.place('r20')], [10, 20]);
});

test('what fits nowhere is read anew', async () => {
	const { list, server, see, ids, asked } = listOf(2000);
	await list.restart();
	await see(1000);
	for (const { id, made } of server.runs) if (made > 300 && made < 1700) server.gone.add(id);
	asked.length = 0;
	await see(900);
	assert.deepEqual([list.total(), ids().length, new Set(ids()).size], [601, PAGE, PAGE]);
	await see(561, 601);
	assert.equal(list.at(600).id, 'r0');
	assert.equal(asked.filter((one) => one === 0).length > 0, true);
});

test('where nothing fits it is given up, not asked for without end', async () => {
	const { list, server, see, asked } = listOf(3000);
	await list.restart();
	const same = server.answer({ limit: PAGE });
	server.answer = () => same;
	await see(2000);
	assert.deepEqual([asked, list.lacks(), list.total()], [[0, 2000, 0, 2000, 503], true, 3000]);
});

test('rows that go while others are asked for leave those at their places', async () => {
	let goes = () => {};
	const { list, server, see, ids } = listOf(500, { before: (_, { cursor }) => cursor && goes() });
	await list.restart();
	goes = () => {
		goes = () => {};
		queueMicrotask(() => list.drop(new Set(['r499', 'r300'])));
	};
	for (const id of ['r499', 'r300']) server.gone.add(id);
	await see(200);
	assert.deepEqual(ids(), idsOf(server.listed()).slice(0, ids().length));
	assert.equal(list.total(), 498);
});

test('of a page that has less than is counted no more is asked for', async () => {
	const { list, asked, server, see } = listOf(PAGE + 3);
	server.extra = 2;
	await list.restart();
	await see(190, 240);
	assert.deepEqual([list.total(), asked], [PAGE + 3, [0, 'on']]);
});

test('what was read stays when a page fails, and when all is asked for anew in vain', async () => {
	const { list, asked, server, see } = listOf(500);
	await list.restart();
	server.fault = { status: 0 };
	await see(300, 340);
	assert.equal((await list.restart()).status, 0);
	assert.equal(list.at(5).id, 'r494');
	assert.deepEqual(asked, [0, 'on', 0, 0]);
});

test('a cursor that is not taken any more has all read anew', async () => {
	const { list, asked, server, see } = listOf(500);
	await list.restart();
	const { answer } = server;
	server.answer = (query) => query.cursor === undefined ? answer(query)
		: (server.answer = answer, { status: 400, body: { field: 'cursor' } });
	await see(300, 340);
	assert.deepEqual([list.at(300).id, asked], ['r199', [0, 'on', 0, 'on']]);
});

test('runs that went make room, and those that changed stay in their places', async () => {
	const { list, see } = listOf(PAGE + 100);
	await list.restart();
	list.drop(new Set(['r299', 'r298', 'r100', 'r101']));
	assert.deepEqual([list.total(), list.at(0).id, list.place('r297')], [PAGE + 96, 'r297', 0]);
	list.put([{ id: 'r296', state: 'failed' }]);
	assert.deepEqual([list.at(1).id, list.at(1).state], ['r296', 'failed']);
	assert.equal(list.place('none'), Infinity);
	await see(190, 240);
	assert.equal(list.at(196).id, 'r99', 'and what is behind the last row goes on');
});

test('rows lack as long as they are wanted and could not be read', async () => {
	const { list, server, see } = listOf(800);
	await list.restart();
	const needs = async (from) => {
		await see(from, from + 40);
		return list.lacks();
	};
	assert.equal(await needs(0), false);
	server.fault = { status: 500 };
	assert.deepEqual([await needs(300), await needs(0), await needs(300)], [true, false, true]);
	server.fault = null;
	assert.equal(await needs(300), false);
	server.fault = { status: 500 };
	assert.equal(await needs(750), true);
	server.fault = null;
	await list.restart();
	assert.equal(list.lacks(), false, 'all is read anew');
});
