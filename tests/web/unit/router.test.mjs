import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

const { history } = makeWindow('http://cairn.test/ann/digits?q=lr%3C1');
const router = await import('../../../web-static/js/router.js');
const { overlay } = await import('../../../web-static/js/base/overlays.js');
const { readDraft } = await import('../../../web-static/js/draft.js');
const { root, setSignedIn } = await import('../../../web-static/js/api.js');
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

test('going back closes what is over the page, the newest first, and only then leaves', () => {
	const before = opened;
	const closed = [];
	router.go('/ann/covered');
	router.setQuery({ q: 'a' }, { replace: false });
	const removers = ['card', 'menu'].map((name) => {
		const remove = overlay(() => {
			closed.push(name);
			remove();
		});
		return remove;
	});
	const asked = [];
	const stop = router.onQuery((query) => asked.push(query.get('q')));
	history.back();
	assert.deepEqual([closed, location.search, asked, opened], [['menu'], '?q=a', [], before + 1]);
	history.back();
	assert.deepEqual([closed, location.search, asked], [['menu', 'card'], '?q=a', []]);
	history.back();
	assert.deepEqual([location.search, asked], ['', [null]]);
	history.go(1);
	assert.deepEqual(asked, [null, 'a']);
	removers.push(overlay(() => closed.push('forth')));
	router.setQuery({ q: 'b' }, { replace: false });
	history.go(-2);
	assert.deepEqual([closed.at(-1), location.search], ['forth', '?q=b'], 'as far as one went');
	removers.forEach((remove) => remove());
	stop();
});

test('what is over the page goes with it, and an entry of another\'s making is no way back', () => {
	const closed = [];
	const remove = overlay(() => closed.push('card'));
	history.pushState({}, '', '?made');
	dispatchEvent(new Event('popstate'));
	assert.deepEqual([closed, location.search], [[], '?made']);
	router.go('/ann/elsewhere');
	assert.ok(closed.length > 0);
	remove();
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

const DIGITS = `${root.pathname}ann/digits`;

/* A server with drafts; `asked` are the requests. */
function serve(drafts, asked = []) {
	globalThis.fetch = async (url, { method, body }) => {
		const id = url.pathname.split('/').at(-1);
		asked.push(`${method} ${url.pathname.split('/').slice(-5).join('/')}`);
		if (method === 'POST') drafts['~new1'] = JSON.parse(body).state;
		const state = method === 'POST' ? drafts['~new1'] : drafts[id];
		const answer = state ? { id: method === 'POST' ? '~new1' : id, state } : null;
		return { status: !answer ? 404 : method === 'POST' ? 201 : 200, ok: Boolean(answer), headers: new Map(), text: async () => JSON.stringify(answer) };
	};
	return asked;
}

const LONG = Array.from({ length: 400 }, (_, at) => `run${1000 + at}`).join(',');

test('a long address becomes a draft, and what is changed stands on top', async () => {
	const asked = serve({});
	router.go(DIGITS, { replace: true });
	setSignedIn(true);
	router.setQuery({ on: LONG, view: 'v1' }, { replace: false });
	assert.ok(location.search.length > 2000);
	for (let tries = 0; tries < 500 && location.search !== '?view=~new1'; tries++) await new Promise((done) => setTimeout(done, 20));
	assert.equal(router.query().get('on'), LONG);
	assert.equal(router.query().get('view'), 'v1');
	router.setQuery({ sort: 'lr' }, { replace: false });
	assert.equal(location.search, '?view=~new1&sort=lr');
	router.setQuery({ sort: null });
	assert.equal(location.search, '?view=~new1');
	router.setQuery({ on: 'run1' });
	assert.equal(location.search, '?on=run1&view=v1');
	history.back();
	assert.deepEqual(asked, ['POST v1/projects/ann/digits/views']);
});

test('what an address stands for is read before its page is made', async () => {
	const asked = serve({ '~old1': { on: LONG, sort: 'lr', x: 'rel' } });
	router.go(DIGITS, { replace: true });
	const before = opened;
	router.go(`${DIGITS}?view=~old1&sort=&smooth=0.5`, { replace: true });
	assert.equal(opened, before + 1);
	router.setQuery({ smooth: null }); /* of the page that was left */
	assert.equal(location.search, '?view=~old1&sort=&smooth=0.5');
	assert.equal(await readDraft(), null);
	assert.deepEqual([...router.query()], [['on', LONG], ['x', 'rel'], ['smooth', '0.5']]);
	router.setQuery({ smooth: null });
	assert.equal(location.search, '?view=~old1&sort=');
	assert.equal(await readDraft(), null);
	assert.equal(asked.length, 1);
});

test('a draft that is gone is told, and the rest of the address holds', async () => {
	serve({});
	router.go(`${DIGITS}?view=~gone1&sort=lr`, { replace: true });
	assert.equal((await readDraft()).status, 404);
	assert.deepEqual([...router.query()], [['sort', 'lr']]);
	router.setQuery({ sort: 'x' });
	assert.equal(location.search, '?sort=x');
});
