import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { RunFeed } = await import('../../../web-static/js/compare/run_feed.js');

const REFUSED = { status: 500, body: null };

/* Of runs a and b; documents of `failing`, and keys where they are in it, do not come. asked: which documents were. */
function feedOf(t, failing) {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const rows = { a: 1, b: 1 };
	const asked = [];
	const came = [];
	const counts = { keys: 0 };
	const documentsOf = (id) => ({ fault: failing.has(id) ? REFUSED : null, config: {}, summary: {}, large: [] });
	const reader = {
		runs: async (ids) => ({ status: 200, body: { items: ids.map((id) => ({ id, rows: rows[id], state: 'running' })) } }),
		documents: async (ids) => ids.length && asked.push(ids.join()) ? ids.map(documentsOf) : [],
		around: async (ids) => ids.map(() => ({ fault: null, writers: [] })),
		keys: async () => {
			counts.keys++;
			return failing.has('keys') ? REFUSED : { status: 200, body: { items: [{ key: 'loss', kinds: ['number'] }] } };
		},
		stop() {},
	};
	const feed = new RunFeed({ entity: 'e', project: 'p' }, { reader, wanted: () => ({ ids: ['a', 'b'], filters: [] }),
		changed() {}, rowsCame: (id) => came.push(id), follow: () => () => {} });
	return { feed, rows, asked, came, counts };
}

test('of runs whose documents are read, and that did not grow, none is read again for one that cannot be', async (t) => {
	const failing = new Set(['b']);
	const { feed, rows, asked, came } = feedOf(t, failing);
	assert.equal(await feed.turns.now(), REFUSED);
	assert.equal(await feed.turns.now(), REFUSED);
	assert.deepEqual(asked, ['a,b', 'b']);
	assert.deepEqual(came, ['a', 'b', 'b']);
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
