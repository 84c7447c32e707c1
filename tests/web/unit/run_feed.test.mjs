import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { RunFeed } = await import('../../../web-static/js/compare/run_feed.js');
const { readDocument } = await import('../../../web-static/js/compare/model/read.js');

const REFUSED = { status: 500, body: null };

/* Of runs a and b; documents of `failing`, and keys where they are in it, do not come. asked: which documents were. */
function feedOf(t, failing) {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const rows = { a: 1, b: 1 };
	const heard = {};
	const asked = [];
	const came = [];
	const counts = { keys: 0 };
	const documentsOf = (id) => ({ fault: failing.has(id) ? REFUSED : null, config: {}, summary: {}, large: [] });
	const reader = {
		runs: async (ids) => ({ status: 200, body: { items: ids.map((id) => ({ id, rows: rows[id], state: 'running' })) } }),
		documents: async (ids) => {
			if (ids.length) asked.push(ids.join());
			heard.meanwhile?.();
			return ids.map(documentsOf);
		},
		around: async (ids) => ids.map(() => ({ fault: null, writers: [] })),
		keys: async () => {
			counts.keys++;
			return failing.has('keys') ? REFUSED : { status: 200, body: { items: [{ key: 'loss', kinds: ['number'] }] } };
		},
		stop() {},
	};
	const feed = new RunFeed({ entity: 'e', project: 'p' }, { reader, wanted: () => ({ ids: ['a', 'b'], filters: [] }),
		changed() {}, rowsCame: (id) => came.push(id), follow: (_, listener) => {
			heard.tell = (items) => listener({ type: 'run', data: { items } });
			return () => {};
		} });
	return { feed, rows, asked, came, counts, heard };
}

test('of runs whose documents are read, and that did not grow, none is read again for one that cannot be', async (t) => {
	const failing = new Set(['b']);
	const { feed, rows, asked, came, counts } = feedOf(t, failing);
	assert.equal(await feed.turns.now(), REFUSED);
	assert.equal(await feed.turns.now(), REFUSED);
	assert.deepEqual(asked, ['a,b', 'b']);
	assert.deepEqual([came, counts.keys], [['a', 'b'], 1]); /* nothing came of b since */
	failing.clear();
	rows.a++;
	assert.equal(await feed.turns.now(), null);
	assert.equal(await feed.turns.now(), null);
	assert.deepEqual(asked, ['a,b', 'b', 'a,b']);
});

test('keys that did not come are asked for again, and documents are not', async (t) => {
	const failing = new Set(['keys']);
	const { feed, rows, asked, counts } = feedOf(t, failing);
	assert.equal(await feed.turns.now(), REFUSED);
	failing.clear();
	assert.equal(await feed.turns.now(), null);
	assert.deepEqual([asked, counts.keys, feed.keys], [['a,b'], 2, ['loss']]);
	failing.add('keys');
	rows.b++;
	assert.equal(await feed.turns.now(), REFUSED);
	failing.clear();
	assert.equal(await feed.turns.now(), null);
	assert.deepEqual([asked, counts.keys], [['a,b', 'b'], 4]);
});

test('a run that is told as a whole has other documents, as where a person edited them; one that only goes on does not', async (t) => {
	const { feed, asked, heard } = feedOf(t, new Set());
	await feed.turns.now();
	heard.tell([{ id: 'a', rows: 1, heard_at: 'x' }, { id: 'other', rows: 1, state: 'finished' }]);
	await feed.turns.now();
	assert.deepEqual(asked, ['a,b']);
	heard.tell([{ id: 'b', rows: 1, state: 'finished' }]);
	heard.meanwhile = () => {
		heard.meanwhile = null;
		heard.tell([{ id: 'b', rows: 1, state: 'finished' }]);
	};
	await feed.turns.now();
	assert.deepEqual(asked, ['a,b', 'b']);
	await feed.turns.now();
	await feed.turns.now();
	assert.deepEqual(asked, ['a,b', 'b', 'b'], 'what was edited while it was read is read once more');
	feed.stop();
});

test('a reading that throws is a fault of its own, and the next one comes', async (t) => {
	const { feed, asked, heard } = feedOf(t, new Set());
	heard.meanwhile = () => {
		heard.meanwhile = null;
		throw new RangeError('of the page itself');
	};
	await assert.rejects(feed.turns.now(), RangeError);
	t.mock.timers.tick(6000);
	for (let rounds = 0; rounds < 10 && !feed.documents.size; rounds++) await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual([asked, [...feed.documents.keys()]], [['a,b', 'a,b'], ['a', 'b']]);
	feed.stop();
});

test('a document that is no JSON did not come', async (t) => {
	t.mock.method(globalThis, 'fetch', async () => new Response('<h1>proxy</h1>'));
	const { value, answer } = await readDocument('runs/a/config', new AbortController().signal);
	assert.deepEqual([value, answer.status], [undefined, 0]);
});
