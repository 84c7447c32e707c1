import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

const { history } = makeWindow('http://cairn.test/ann/digits?q=lr%3C1');
const router = await import('../../../web-static/js/router.js');
let opened = 0;
let rested = 0;
router.startRouter(() => opened++, () => rested++);

test('the query alone leaves the page', () => {
	const seen = [];
	const stop = router.onQuery((query) => seen.push(query.toString()));
	router.setQuery({ sort: '-summary.eval/loss,created' });
	assert.equal(location.search, '?q=lr%3C1&sort=-summary.eval/loss,created');
	router.setQuery({ q: null, sort: null }, { replace: false });
	assert.equal(location.search, '');
	history.back();
	stop();
	router.setQuery({ q: null });
	assert.deepEqual(seen, ['q=lr%3C1&sort=-summary.eval%2Floss%2Ccreated', '', 'q=lr%3C1&sort=-summary.eval%2Floss%2Ccreated']);
	assert.equal(opened, 0);
});

test('what does not change asks nobody', () => {
	let calls = 0;
	const stop = router.onQuery(() => calls++);
	router.setQuery({ q: 'x' });
	router.setQuery({ q: 'x' });
	stop();
	assert.equal(calls, 1);
});

test('another path is another page', () => {
	router.go('/ann/digits/runs/r1');
	assert.equal(opened, 1);
	history.back();
	assert.equal(opened, 2);
	router.go('/ann', { replace: true });
	assert.deepEqual([opened, location.pathname], [3, '/ann']);
});

test('a page rests, and is opened again where it is', () => {
	const before = opened;
	router.rest();
	assert.deepEqual([rested, opened], [1, before]);
	router.reopen();
	assert.deepEqual([rested, opened], [1, before + 1]);
});

test('queries are readable, and read back the same', () => {
	for (const value of ['state:crashed config.lr<0.01', 'a+b&c=d#e?f', '50 %', 'größe "x"', 'train/loss,*lr']) {
		const text = router.queryText(new URLSearchParams({ q: value }));
		assert.equal(new URL(`http://x/${text}`).searchParams.get('q'), value);
	}
	assert.equal(router.queryText(new URLSearchParams({ q: 'state:crashed a/b' })), '?q=state:crashed+a/b');
	assert.equal(router.queryText(new URLSearchParams()), '');
});
