import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { listModel } = await import('../../../web-static/js/runs/list_model.js');

const VIEW = { filter: '', sort: [], group: [], base: [] };
const COLUMNS = [{ key: 'config.lr', isNumber: true }];
const settled = () => new Promise(setImmediate);

/* A server with one run, of which all keys that are asked for are 7; what `holds` names is answered when it is let go. */
function serve({ refuses = () => false } = {}) {
	const held = [];
	const server = { holds: null, held };
	globalThis.fetch = async (url) => {
		if (server.holds?.(url)) await new Promise((done) => held.push(done));
		if (refuses(url)) return Response.json({ detail: 'unknown key' }, { status: 400 });
		const keys = url.searchParams.get('keys')?.split(',').filter(Boolean) || [];
		return Response.json({ items: [{ id: 'r1', values: keys.map(() => 7) }], count: 1 });
	};
	return server;
}

function modelOf() {
	return listModel({ entity: 'ann', project: 'p', changed() {}, failed() {} });
}

test('what was asked before other columns does not write over their values', async () => {
	const server = serve();
	const model = modelOf();
	assert.equal(await model.open(VIEW, []), null);
	server.holds = (url) => url.searchParams.has('ids');
	const looked = model.look(['r1'], false);
	await settled();
	assert.equal(await model.open(VIEW, COLUMNS), null);
	assert.equal(model.row(0).run.by['config.lr'], 7);
	server.held.forEach((done) => done());
	assert.equal((await looked).fault, undefined);
	assert.equal(model.row(0).run.by['config.lr'], 7);
});

test('a filter that is refused first of all leaves nothing to look at', async () => {
	serve({ refuses: (url) => url.searchParams.has('filter') });
	const model = modelOf();
	assert.equal((await model.open({ ...VIEW, filter: 'nonsense:' }, [])).status, 400);
	assert.equal(model.view(), null);
	assert.equal(await model.open(VIEW, []), null);
	assert.equal((await model.open({ ...VIEW, filter: 'nonsense:' }, [])).status, 400);
	assert.equal(model.view().filter, '');
});
