import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { pagesOf } = await import('../../../web-static/js/artifacts/pages.js');

/* 250 items; the server's cursor is where the next page begins. */
function serve() {
	const asked = [];
	globalThis.fetch = async (url) => {
		const query = new URL(url).searchParams;
		const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))];
		asked.push([from, limit]);
		const to = Math.min(250, from + limit);
		const items = Array.from({ length: to - from }, (_, at) => from + at);
		return new Response(JSON.stringify({ items, next_cursor: to < 250 ? String(to) : null }));
	};
	return asked;
}

test('pages are added as they are asked for, each once, and read again as one', async () => {
	const asked = serve();
	let changes = 0;
	const pages = pagesOf(() => 'list?order=name', { changed: () => changes++ });
	await pages.again();
	assert.deepEqual([pages.list.items.length, pages.list.cursor, changes], [100, '100', 1]);
	await Promise.all([pages.more(), pages.more()]);
	assert.equal(pages.list.items.length, 200);
	await pages.again();
	assert.deepEqual(asked, [[0, 100], [100, 100], [0, 200]]);
	await pages.more();
	assert.deepEqual(pages.list.items, Array.from({ length: 250 }, (_, at) => at));
	assert.equal(pages.list.cursor, null);
	pages.stop();
});

test('a page of a list that is no longer selected is not added', async () => {
	serve();
	let path = 'first';
	const pages = pagesOf(() => path, { changed() {} });
	await pages.again();
	const adding = pages.more();
	path = 'second';
	await adding;
	assert.equal(pages.list.items.length, 100);
	pages.stop();
});

test('a list that was refused is told of, and not to be read again', async () => {
	let status = 400;
	globalThis.fetch = async () => new Response('{}', { status });
	const said = [];
	const pages = pagesOf(() => 'list', { changed() {}, fault: (answer) => said.push(answer.status) });
	assert.equal(await pages.again(), null);
	status = 404;
	assert.equal((await pages.again()).status, 404);
	assert.deepEqual(said, [400, 404]);
	pages.stop();
});
