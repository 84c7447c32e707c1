/* Questions of panels, gathered, and their answers, kept. */

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { seriesCache } from '../../../web-static/js/chart/data/series_cache.js';
import { joined, packed } from './packed.mjs';

mock.timers.enable({ apis: ['setTimeout'] });

function whole({ keys, buckets }, panel, etag) {
	return joined(packed({ piece: 'panel', panel, x: '_step', from: 0, to: 1, buckets, etag, missing: [] }),
		packed({ piece: 'series', panel, run: 'r1', key: keys[0] }, { at: [0], mean: [1] }));
}

/* It answers when it is told to, by an etag or none: alike is what was asked with it. */
function fakeServer() {
	const asked = [];
	const ask = (method, path, body, { onBytes, signal }) => new Promise((resolve) => {
		const answer = (etag, isSame = (panel) => etag && panel.etag === etag) => {
			body.panels.forEach((panel, at) => onBytes(isSame(panel) ? packed({ piece: 'same', panel: at, etag }) : whole(panel, at, etag)));
			onBytes(packed({ piece: 'end' }));
			resolve({ status: 200 });
		};
		asked.push({ body, signal, answer, refuse: () => resolve({ status: 500 }) });
		signal.addEventListener('abort', () => resolve({ status: 0 }));
	});
	return { asked, ask };
}

const question = (key, runs = ['r1']) => ({ runs, groups: [], panel: { keys: [key], x: '_step', buckets: 64 } });

const settled = () => new Promise(setImmediate);

/* Who was answered has gone on, the moment in which questions are gathered is over, and they are asked. */
async function gathered() {
	await settled();
	mock.timers.tick(20);
	await settled();
}

test('cache: what is asked within a moment is one request; asked again it is there', async () => {
	const { asked, ask } = fakeServer();
	const cache = seriesCache('p', { ask });
	const got = [];
	for (const key of ['a', 'b', 'c']) cache.want(question(key), ({ answer }) => got.push(answer.series[0].key));
	await gathered();
	assert.deepEqual(asked.map(({ body }) => body.panels.length), [3]);
	asked[0].answer();
	await gathered();
	assert.deepEqual(got, ['a', 'b', 'c']);
	cache.want(question('b'), ({ answer, isOld }) => got.push([answer.series[0].key, isOld]));
	assert.deepEqual(got.at(-1), ['b', false]);
	cache.age('r1');
	cache.want(question('b'), ({ isOld }) => got.push(isOld));
	await gathered();
	assert.deepEqual([got.at(-1), asked.length], [true, 2]);
});

test('cache: three requests are under way at most, and what nobody waits for is given up', async () => {
	const { asked, ask } = fakeServer();
	const cache = seriesCache('p', { ask });
	const stops = ['r1', 'r2', 'r3', 'r4'].map((run) => cache.want(question('a', [run]), () => {}));
	await gathered();
	assert.equal(asked.length, 3);
	stops[0]();
	assert.equal(asked[0].signal.aborted, true);
	await gathered();
	assert.equal(asked.length, 4);
	stops[3]();
});

test('cache: what is answered to its last panel is not cut off before its end', async () => {
	const asked = [];
	const ask = (method, path, { panels }, { onBytes, signal }) => new Promise(() => {
		asked.push({ signal, answer: () => onBytes(joined(...panels.map((panel, at) => whole(panel, at)), packed({ piece: 'end' }))) });
	});
	const cache = seriesCache('p', { ask });
	const stops = ['a', 'b'].map((key) => cache.want(question(key), () => {}));
	await gathered();
	stops[0]();
	asked[0].answer();
	stops[1]();
	assert.equal(asked[0].signal.aborted, false);
});

test('cache: what is answered after more came is old, though it came late', async () => {
	const { asked, ask } = fakeServer();
	const cache = seriesCache('p', { ask });
	cache.want(question('a'), () => {});
	await gathered();
	cache.age('r1');
	asked[0].answer();
	await gathered();
	const got = [];
	cache.want(question('a'), ({ isOld }) => got.push(isOld));
	await gathered();
	assert.deepEqual([got, asked.length], [[true], 2]);
});

test('cache: of more than 64 MB what was asked for least recently goes', async () => {
	const answer = [packed({ piece: 'panel', panel: 0 }), packed({ piece: 'series', panel: 0 }, { mean: new Float64Array(2 ** 20) }), packed({ piece: 'end' })];
	const cache = seriesCache('p', { ask: async (method, path, body, { onBytes }) => {
		for (const piece of answer) onBytes(piece);
		return { status: 200 };
	} });
	const isKept = (key) => {
		let isThere = false;
		cache.want(question(key), () => { isThere = true; })();
		return isThere;
	};
	const show = async (...keys) => {
		for (const key of keys) {
			cache.want(question(key), () => {});
			await gathered();
		}
		return cache.bytes() / 2 ** 20;
	};
	const isFull = (kept) => assert.ok(kept > 56 && kept <= 64, `${kept} MB`);
	isFull(await show('a', 'b', 'c', 'd', 'e', 'f', 'g'));
	isFull(await show('a', 'h', 'i'));
	assert.deepEqual(['b', 'c', 'a', 'd', 'i'].map(isKept), [false, false, true, true, true]);
});

test('cache: what failed is told to all who wait, and not kept', async () => {
	const { asked, ask } = fakeServer();
	const cache = seriesCache('p', { ask });
	const faults = [];
	cache.want(question('a'), ({ fault }) => faults.push(fault.status));
	await gathered();
	asked[0].refuse();
	await gathered();
	assert.deepEqual([faults, cache.bytes()], [[500], 0]);
});

test('cache: what is old is asked with its etag, and where it is the same it is new again', async () => {
	const { asked, ask } = fakeServer();
	const cache = seriesCache('p', { ask });
	const got = [];
	const want = async (key, etag) => {
		cache.want(question(key), (told) => got.push(told));
		await gathered();
		asked.at(-1).answer(etag);
		await gathered();
		return asked.at(-1).body.panels.map((panel) => panel.etag);
	};
	assert.deepEqual(await want('a', 'one'), [undefined]);
	cache.age('r1');
	cache.want(question('b'), (told) => got.push(told));
	assert.deepEqual(await want('a', 'one'), [undefined, 'one'], 'of each panel its own');
	const [first, old, other, same] = got;
	assert.deepEqual([old.isOld, old.answer === first.answer, same.answer === first.answer, other.answer.series[0].key],
		[true, true, true, 'b']);
	cache.want(question('a'), ({ isOld }) => got.push(isOld));
	assert.deepEqual([got.at(-1), asked.length], [false, 2]);
	cache.age('r1');
	assert.deepEqual(await want('a', 'two'), ['one']);
	assert.notEqual(got.at(-1).answer, first.answer);
	assert.equal(got.at(-1).answer.panel.etag, 'two');
});

test('cache: an answer that is the same while more came is old; one that nobody has is none', async () => {
	const { asked, ask } = fakeServer();
	const cache = seriesCache('p', { ask });
	const got = [];
	const want = async (...more) => {
		cache.want(question('a'), (told) => got.push(told), ...more);
		await gathered();
	};
	await want();
	asked[0].answer('one');
	await gathered();
	cache.age('r1');
	await want();
	cache.age('r1');
	asked[1].answer('one');
	await gathered();
	await want();
	assert.deepEqual([got.at(-1).isOld, asked.length], [true, 3]);
	await want({ keep: false });
	assert.deepEqual(asked[3].body.panels, [question('a').panel]);
	asked[3].answer('one', () => true);
	await gathered();
	assert.equal(got.at(-1).fault.status, 0);
});
