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

	/* From here on of that project. */
	of(project) {
		this.say('project', { project });
		return this;
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
	sources[0].of('a/b').say('open', {}, '5.1');
	tick(50);
	assert.deepEqual([one.types(), one.how()], [['open'], 'live']);
	two.want(asks('projects/a/b', ['r1'], ['console', 'state'], 7));
	tick(50);
	assert.equal(sources[1].url.search, '?watch=a%2Fb%2Fr1&streams=console%2Cstate&after=5.1');
	sources[0].of('a/b').say('run', { items: [{ id: 'r1' }] });
	assert.ok(!sources[0].isClosed && one.how() === 'live');
	sources[1].of('a/b').say('open', {}, '6.1');
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
	sources[0].of('a/b').say('open', {}, '5.1');
	tick(50);
	assert.deepEqual([two.types(), sources[1].url.searchParams.get('watch')], [[], 'a/b/r2,r1']);
	sources[1].of('a/b').say('open', {}, '5.1');
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
	sources[0].of('a/b').say('open', {}, '5.1');
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
	sources[3].of('a/b').say('reset');
	sources[3].of('a/b').say('open', {}, '9.1');
	tick(50);
	assert.deepEqual([one.types(), one.how()], [['open', 'again'], 'live']);
	sources[3].of('a/b').say('reset');
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
	sources.at(-1).of('a/b').say('open', {}, '1.1');
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

test('projects of all tabs are one stream, which goes on when it tells of all that the one before did', () => {
	const hub = liveHub();
	const [one, two] = [tabOf(hub), tabOf(hub)];
	one.want(asks('projects/a/b'));
	tick(50);
	sources[0].of('a/b').say('open', {}, '5.1');
	two.want({ ...asks('projects/a/b', [], [], 4), ...asks('projects/a/c%20d', ['r1'], ['state'], 4) });
	tick(50);
	assert.deepEqual([...sources[1].url.searchParams], [['watch', 'a/c d/r1:a/b'], ['streams', 'state'], ['after', ':5.1']]);
	sources[1].of('a/b').say('open', {}, '6.1');
	sources[1].say('rows', { items: [] });
	tick(50);
	assert.deepEqual([sources[0].isClosed, two.types(), two.how()], [true, ['open', 'rows'], 'behind'], 'what it opened goes on');
	sources[1].of('a/c d').say('open', {}, '7.1');
	tick(50);
	assert.deepEqual([sources[0].isClosed, live().length, two.how()], [true, 1, 'live']);
	sources[1].say('run', { items: [] });
	sources[1].of('a/b').say('state', {});
	tick(50);
	assert.deepEqual(two.told.filter(({ type }) => type !== 'how').slice(2).map(({ path, type }) => [path.slice(9), type]),
		[['a/c%20d', 'open'], ['a/c%20d', 'run'], ['a/b', 'state']]);
	two.leave();
	tick(6000);
	assert.equal(sources[2].url.searchParams.get('watch'), 'a/b', 'what nobody looks at any more is asked for no more');
	sources[2].of('a/b').say('open', {}, '8.1');
	one.leave();
	tick(6000);
	assert.equal(live().length, 0);
});

test('a project that opens late holds up none of the others', () => {
	const hub = liveHub();
	const [one, two] = [tabOf(hub), tabOf(hub)];
	const states = () => Object.fromEntries(one.told.filter(({ type }) => type === 'how').map(({ path, data }) => [path.slice(9), data.name]));
	one.want({ ...asks('projects/a/b'), ...asks('projects/a/c') });
	tick(50);
	sources[0].of('a/c').say('open', {}, '5.1');
	tick(50);
	assert.deepEqual([states(), one.types()], [{ 'a/b': 'behind', 'a/c': 'live' }, ['open']]);
	sources[0].say('beat');
	tick(39000);
	sources[0].of('a/b').say('reset');
	tick(50);
	assert.deepEqual([sources[0].isClosed, one.types()], [false, ['open']], 'it is waited for as long as the stream says something');
	sources[0].say('open', {}, '6.1');
	tick(50);
	assert.deepEqual([states(), one.types()], [{ 'a/b': 'live', 'a/c': 'live' }, ['open', 'again', 'open']]);
	two.want(asks('projects/a/d', [], [], 2));
	tick(50);
	sources[1].of('a/d').say('open', {}, '1.1');
	sources[1].of('a/c').say('open', {}, '5.2');
	assert.deepEqual([sources[0].isClosed, two.how()], [false, 'behind'], 'what was told of goes on being told');
	sources[1].of('a/b').say('open', {}, '6.2');
	tick(50);
	assert.deepEqual([sources[0].isClosed, two.how(), live().length], [true, 'live', 1]);
	one.leave();
	two.leave();
	tick(6000);
});

test('a project that ends takes nothing from the others', () => {
	const hub = liveHub();
	const one = tabOf(hub);
	one.want({ ...asks('projects/a/b'), ...asks('projects/a/c') });
	tick(50);
	sources[0].of('a/b').say('end', { reason: 'not-found' });
	sources[0].of('a/c').say('open', {}, '5.1');
	tick(50);
	const states = () => Object.fromEntries(one.told.filter(({ type }) => type === 'how').map(({ path, data }) => [path.slice(9), data.name]));
	assert.deepEqual([states(), one.types()], [{ 'a/b': 'none', 'a/c': 'live' }, ['end', 'open']]);
	hub.retry();
	assert.equal(sources[1].url.searchParams.get('watch'), 'a/c:a/b');
	sources[1].of('a/c').say('open', {}, '5.1');
	sources[1].of('a/b').say('open', {}, '1.1');
	tick(50);
	assert.deepEqual([states(), one.types().slice(2)], [{ 'a/b': 'live', 'a/c': 'live' }, ['again', 'open']]);
	sources[1].of('a/b').say('end', { reason: 'too-slow' });
	assert.deepEqual([sources[1].isClosed, sources[2].url.searchParams.get('after')], [true, '5.1:1.1']);
	one.leave();
	tick(6000);
});

test('more projects than one stream is of are polled until there is room', async () => {
	const hub = liveHub();
	const tabs = Array.from({ length: 17 }, () => tabOf(hub));
	const open = () => sources.at(-1).url.searchParams.get('watch').split(':').forEach((name) => sources.at(-1).of(name).say('open', {}, '1.1'));
	tabs.forEach((tab, n) => tab.want(asks(`projects/a/p${n}`)));
	tick(50);
	assert.equal(sources.at(-1).url.searchParams.get('watch').split(':').length, 16);
	open();
	tick(50);
	assert.deepEqual(tabs.map((tab) => tab.how()), ['poll', ...Array(16).fill('live')], 'the one wanted last is live');
	const before = tabs[0].types();
	assert.deepEqual([[...new Set(before)], live().length], [['open', 'again'], 1]);
	await pass(11000);
	assert.ok(tabs[0].types().length > before.length);
	tabs[5].leave();
	await pass(6000);
	open();
	tick(50);
	assert.deepEqual([tabs[0].how(), tabs[0].types().at(-1)], ['live', 'again']);
	tabs.forEach((tab) => tab.leave());
	tick(6000);
});

test('an address is no longer than the server takes', () => {
	const hub = liveHub();
	const one = tabOf(hub);
	const long = (n) => 'ö'.repeat(60) + n;
	one.want({ ...asks('projects/a/b', Array.from({ length: 100 }, (_, n) => long(n)), ['rows']), ...asks('projects/a/c', ['r1'], ['rows']) });
	tick(50);
	assert.ok(sources[0].url.search.length < 17000);
	const [c, b] = sources[0].url.searchParams.get('watch').split(':');
	assert.ok(c === 'a/c/r1' && b.startsWith(`a/b/${long(0)},`) && b.split(',').length > 30);
	one.leave();
	tick(6000);
});

test('the end, and who signs in again', async () => {
	const hub = liveHub();
	const one = tabOf(hub);
	one.want(asks('projects/a/b', Array.from({ length: 101 }, (_, n) => `r${n}`), ['state']));
	tick(50);
	assert.equal(sources[0].url.searchParams.get('watch').split(',').length, 100);
	sources[0].of('a/b').say('open', {}, '5.1');
	sources[0].of('a/b').say('end', { reason: 'unauthorized' });
	tick(50);
	assert.deepEqual([one.told.findLast(({ type }) => type === 'end').data.reason, one.how(), live().length], ['unauthorized', 'none', 0]);
	hub.retry();
	sources[1].of('a/b').say('open', {}, '5.1');
	tick(50);
	assert.deepEqual([one.types().at(-1), one.how()], ['again', 'live']);
	status = 404;
	sources[1].break();
	await pass(2000);
	assert.equal(one.told.findLast(({ type }) => type === 'end').data.reason, 'gone');
	one.leave();
	tick(6000);
});
