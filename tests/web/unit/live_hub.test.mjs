import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
mock.timers.enable({ apis: ['setTimeout', 'Date'] });
const { liveHub } = await import('../../../web-static/js/live_hub.js');

let sources = [];
let status = 200; /* of a request; 0: nobody answers */

class Source {
	constructor(url) {
		Object.assign(this, { url: new URL(url), heard: {}, isClosed: false });
		sources.push(this);
	}

	addEventListener(type, listener) {
		this.heard[type] = listener;
	}

	close() {
		this.isClosed = true;
	}

	say(type, data = {}, lastEventId = '') {
		this.heard[type]({ type, data: JSON.stringify(data), lastEventId });
	}

	break() {
		this.heard.error({ type: 'error' });
	}
}

globalThis.EventSource = Source;
globalThis.fetch = async () => {
	if (!status) throw new TypeError('nobody answers');
	return new Response('{}', { status });
};

beforeEach(() => {
	sources = [];
	status = 200;
});

function tabOf(hub) {
	const told = [];
	const tab = hub.join((messages) => told.push(...messages));
	return { ...tab, told, types: () => told.filter(({ type }) => type !== 'how').map(({ type }) => type),
		how: () => told.findLast(({ type }) => type === 'how')?.data.name };
}

/* Timers that timers start are due in their turn. */
function tick(ms) {
	for (let at = 0; at < ms; at += 10) mock.timers.tick(10);
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const asks = (path, runs = [], streams = [], turn = 1) => ({ [path]: { runs, streams, turn } });
const live = () => sources.filter(({ isClosed }) => !isClosed);

async function pass(ms) {
	for (let at = 0; at < ms; at += 1000) {
		tick(1000);
		await settled();
	}
}

test('tabs of a project share a stream, which grows before the old one goes', () => {
	const hub = liveHub();
	const [one, two] = [tabOf(hub), tabOf(hub)];
	one.want(asks('projects/a/b'));
	tick(50);
	assert.equal(one.how(), 'behind');
	sources[0].say('open', {}, '5.1');
	tick(50);
	assert.deepEqual([one.types(), one.how()], [['open'], 'live']);
	two.want(asks('projects/a/b', ['r1'], ['console', 'state'], 7));
	tick(50);
	assert.equal(sources[1].url.search, '?follow=r1&streams=console%2Cstate&after=5.1');
	sources[0].say('run', { items: [{ id: 'r1' }] });
	assert.ok(!sources[0].isClosed && one.how() === 'live');
	sources[1].say('open', {}, '6.1');
	tick(50);
	assert.ok(sources[0].isClosed);
	assert.deepEqual(one.types(), ['open', 'run']);
	assert.deepEqual(two.told.find(({ type }) => type === 'open').data, { turn: 7 });
	one.want(asks('projects/a/b', ['r1'], ['state'], 2));
	tick(50);
	assert.deepEqual([sources.length, one.types().at(-1)], [2, 'open']);
	two.leave();
	one.leave();
	tick(4000);
	assert.equal(live().length, 1);
	tick(2000);
	assert.equal(live().length, 0);
});

test('a stream that opens for less than is wanted by now welcomes nobody', () => {
	const hub = liveHub();
	const [one, two] = [tabOf(hub), tabOf(hub)];
	one.want(asks('projects/a/b', ['r1'], ['state']));
	tick(50);
	two.want(asks('projects/a/b', ['r2'], ['state'], 2));
	sources[0].say('open', {}, '5.1');
	tick(50);
	assert.deepEqual([two.types(), sources[1].url.searchParams.get('follow')], [[], 'r2,r1']);
	sources[1].say('open', {}, '5.1');
	tick(50);
	assert.deepEqual([one.types(), two.types()], [['open'], ['open']]);
	one.leave();
	two.leave();
	tick(6000);
});

test('what breaks is tried again, from where it was; what may be missing is said', async () => {
	const hub = liveHub();
	const one = tabOf(hub);
	one.want(asks('projects/a/b'));
	tick(50);
	sources[0].say('open', {}, '5.1');
	tick(50);
	status = 0;
	sources[0].break();
	await pass(1000);
	assert.equal(one.how(), 'broken');
	await pass(1500);
	assert.equal(sources[1].url.searchParams.get('after'), '5.1');
	sources[1].break();
	await pass(4500);
	sources[2].break();
	await pass(1000);
	assert.equal(one.how(), 'offline');
	status = 200;
	await pass(10000);
	sources[3].say('reset');
	sources[3].say('open', {}, '9.1');
	tick(50);
	assert.deepEqual([one.types(), one.how()], [['open', 'again'], 'live']);
	sources[3].say('reset');
	tick(50);
	assert.equal(one.types().at(-1), 'again');
	one.leave();
	tick(6000);
});

test('where streams do not come through it is polled; silence is a fault', async () => {
	const hub = liveHub();
	const one = tabOf(hub);
	one.want(asks('projects/a/b'));
	await pass(50000 + 20000);
	assert.equal(one.how(), 'poll');
	assert.ok(one.types().filter((type) => type === 'again').length >= 1);
	sources.at(-1).say('open', {}, '1.1');
	await pass(39000);
	assert.equal(one.how(), 'live');
	sources.at(-1).say('beat');
	await pass(39000);
	assert.equal(one.how(), 'live');
	await pass(2000);
	assert.equal(one.how(), 'broken');
	one.leave();
	tick(6000);
});

test('more projects than streams are polled until there is room', async () => {
	const hub = liveHub();
	const tabs = [1, 2, 3, 4].map((n) => {
		const tab = tabOf(hub);
		tab.want(asks(`projects/a/p${n}`));
		tick(50);
		sources.at(-1).say('open', {}, '1.1');
		return tab;
	});
	tick(50);
	assert.equal(live().length, 3);
	assert.deepEqual([tabs[3].how(), tabs[3].types()[0]], ['poll', 'open']);
	tabs[0].leave();
	await pass(20000);
	sources.at(-1).say('open', {}, '1.1');
	tick(50);
	assert.deepEqual([tabs[3].how(), tabs[3].types().at(-1)], ['live', 'again']);
	tabs.forEach((tab) => tab.leave());
	tick(6000);
});

test('the end, and who signs in again', async () => {
	const hub = liveHub();
	const one = tabOf(hub);
	one.want(asks('projects/a/b', Array.from({ length: 101 }, (_, n) => `r${n}`), ['state']));
	tick(50);
	assert.equal(sources[0].url.searchParams.get('follow').split(',').length, 100);
	sources[0].say('open', {}, '5.1');
	sources[0].say('end', { reason: 'unauthorized' });
	tick(50);
	assert.deepEqual([one.told.findLast(({ type }) => type === 'end').data.reason, one.how(), live().length], ['unauthorized', 'none', 0]);
	hub.retry();
	sources[1].say('open', {}, '5.1');
	tick(50);
	assert.deepEqual([one.types().at(-1), one.how()], ['again', 'live']);
	status = 404;
	sources[1].break();
	await pass(2000);
	assert.equal(one.told.findLast(({ type }) => type === 'end').data.reason, 'gone');
	one.leave();
	tick(6000);
});
