/* Runs that a hand has taken out of groups: how they are asked for without them, and what the list knows of it. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { groupColumn } from '../../../web-static/js/compare/group_columns.js';
import { readView as compareView } from '../../../web-static/js/compare/view.js';
import { counting, countedFilter, countedIn, isAllCounted, isCounted } from '../../../web-static/js/list/model/counted.js';
import { groupLine } from '../../../web-static/js/list/model/group_line.js';
import { OUT_MOST, readView, writeView } from '../../../web-static/js/list/model/run_view.js';
import { elsewhere, stateOf } from '../../../web-static/js/list/model/saved_view.js';
import { makeWindow } from './browser.mjs';

makeWindow();
const { listModel } = await import('../../../web-static/js/list/model/list_model.js');

const settled = () => new Promise(setImmediate);
const viewOf = (text) => readView(new URLSearchParams(text));

test('groups are of what the filter finds and no hand has taken out, in both forms of a filter', () => {
	const filters = [['', 'not id:a,b'], ['config.lr<1', 'config.lr<1 not id:a,b'], ['x or y', '(x or y) not id:a,b'],
		[' {"state": "failed"} ', '{"$and": [{"state": "failed"}, {"id":{"$nin":["a","b"]}}]}']];
	for (const [filter, wanted] of filters) {
		assert.equal(countedFilter({ filter, out: ['a', 'b'] }), wanted);
		assert.equal(countedFilter({ filter, out: [] }), filter, 'where all count it is as it was written');
	}
	assert.equal(countedFilter({ filter: '', out: ['7', 'or', 'a"b'] }), 'not id:"7","or","a\\"b"');
	assert.deepEqual(JSON.parse(countedFilter({ filter: '{}', out: ['a"b\\'] })).$and[1], { id: { $nin: ['a"b\\'] } });
});

test('the address has them, up to so many; a view that goes to another project has not', () => {
	const view = viewOf('out=a,b,a&off=c');
	assert.deepEqual([view.out, view.off, isCounted(view, 'a'), isCounted(view, 'c')], [['a', 'b'], ['c'], false, true]);
	assert.deepEqual([writeView({ out: ['a', 'b'] }), writeView({ out: [] })], [{ out: 'a,b' }, { out: null }]);
	const many = Array.from({ length: OUT_MOST + 1 }, (_, at) => `r${at}`);
	assert.equal(viewOf(`out=${many}`).out.length, OUT_MOST);
	assert.equal(compareView(new URLSearchParams(`out=${many}`)).out.length, OUT_MOST);
	const state = stateOf(new URLSearchParams('out=a&q=x'));
	assert.deepEqual([state, elsewhere(state)], [{ out: 'a', q: 'x' }, { q: 'x' }]);
	assert.deepEqual([['', 'a'], ['config.lr', ''], ['config.lr', 'a']].map(([group, out]) =>
		isAllCounted(viewOf(`group=${group}&out=${out}`))), [true, true, false]);
});

test('an eye takes one out and puts it back, none twice, and none beyond the limit', () => {
	const view = viewOf('out=a');
	assert.deepEqual(counting(view, ['b'], false), { out: ['a', 'b'] });
	assert.deepEqual(counting(view, ['b', 'a'], false), { out: ['b', 'a'] });
	assert.deepEqual(counting(view, ['a', 'x'], true), { out: [] });
	const full = { out: Array.from({ length: OUT_MOST }, (_, at) => `r${at}`) };
	assert.equal(counting(full, ['b'], false), null);
	assert.equal(counting(full, ['r0'], false).out.length, OUT_MOST);
	assert.equal(counting(full, ['r0'], true).out.length, OUT_MOST - 1);
});

test('groups stay as the filter has them, with the numbers of those that count', () => {
	const plain = [{ group: 'a', count: 3 }, { group: 'b', count: 1 }];
	const counted = [{ group: 'a', count: 2, numbers: ['of two'], different: [] }];
	const none = { group: 'b', count: 0, all: 1, numbers: [], different: [] };
	assert.deepEqual(countedIn(plain, counted, false), [{ ...counted[0], all: 3 }, none]);
	assert.deepEqual(countedIn(plain, counted, true).map(({ group }) => group), ['a'], 'the other may have some, which was not told');
});

test('lines, marks and columns of groups are asked for without them', () => {
	const lr = { key: 'config.lr', group: { group: 'number:1', kind: 'number', value: 1 } };
	const opt = { key: 'config.opt', group: { group: 'text:adam', kind: 'text', value: 'adam' } };
	const view = { filter: 'loss', out: ['a'] };
	const line = groupLine({ within: [lr, opt], depth: 1, ...opt }, countedFilter(view));
	assert.deepEqual([line.filter, line.of.filter],
		['loss not id:a config.lr:1 config.opt:"adam"', 'loss not id:a config.lr:1']);
	const column = groupColumn('config.lr~number:1~config.opt~text:adam', view);
	assert.deepEqual([column.filter, column.question.filter], [line.filter, line.of.filter]);
});

/* A server with a small group of three runs and a large one of two; `asked`: paths with the filters of groups. */
function serve() {
	const server = { asked: [], hold: null, held: [], status: 200 };
	globalThis.fetch = async (url) => {
		const filter = url.searchParams.get('filter') ?? '';
		const by = url.searchParams.get('by');
		const what = url.pathname.split('/').at(-1);
		server.asked.push(by ? `${by} ${filter}`.trim() : what);
		if (server.hold?.(filter, by)) await new Promise((done) => server.held.push(done));
		if (what !== 'groups') return Response.json({ items: [], count: 5 });
		if (server.status !== 200) return Response.json({}, { status: server.status });
		const gone = filter.match(/id:(\S+)/)?.[1].split(',').length ?? 0;
		const groups = [{ group: 'text:small', kind: 'text', value: 'small', count: 3 - gone, numbers: [{ count: 3 - gone }] },
			{ group: 'text:large', kind: 'text', value: 'large', count: 2, numbers: [{ count: 2 }] }];
		return Response.json({ items: groups.filter(({ count }) => count), next_cursor: null });
	};
	return server;
}

const VIEW = { filter: '', sort: [], group: ['arch'], base: [], out: [] };
const COLUMNS = [{ key: 'loss', isNumber: true }];
const told = (model) => model.groups().map(({ group: { group, count, all, stats } }) => [group, count, all, stats.loss?.count]);

async function modelOf(server, view) {
	const failed = [];
	const model = listModel({ entity: 'ann', project: 'p', changed() {}, failed: (answer) => failed.push(answer.status) });
	await model.open({ ...VIEW, ...view }, COLUMNS);
	await settled();
	server.asked.length = 0;
	return { model, failed };
}

test('where all count groups are asked for once, and else how many runs each has besides', async () => {
	const server = serve();
	const { model } = await modelOf(server, {});
	assert.deepEqual(told(model), [['text:small', 3, 3, 3], ['text:large', 2, 2, 2]]);
	const node = model.groups()[0];
	assert.equal(await model.recount(['a']), true);
	assert.deepEqual(server.asked, ['arch not id:a', 'arch'], 'and no runs');
	assert.deepEqual(told(model), [['text:small', 2, 3, 2], ['text:large', 2, 2, 2]]);
	assert.ok(model.groups()[0] === node, 'what is open stays open');
	assert.equal(model.groupQuery(node).filter, 'not id:a');
	await model.recount(['a', 'b', 'c']);
	assert.deepEqual(told(model)[0], ['text:small', 0, 3, undefined], 'of one with none left the row stays');
	server.asked.length = 0;
	await model.recount([]);
	assert.deepEqual([server.asked, told(model)[0]], [['arch'], ['text:small', 3, 3, 3]]);
	model.stop();
});

test('numbers of an eye before do not come over those of the last; what fails leaves those that were', async () => {
	const server = serve();
	const { model, failed } = await modelOf(server, {});
	server.hold = (filter) => filter === 'not id:a';
	const first = model.recount(['a']);
	await settled();
	assert.equal(await model.recount(['a', 'b']), true);
	server.held.forEach((done) => done());
	assert.equal(await first, false);
	assert.deepEqual(told(model)[0], ['text:small', 1, 3, 1]);
	server.status = 503;
	assert.equal(await model.recount(['a', 'b', 'c']), false);
	assert.deepEqual([failed, told(model)[0]], [[503], ['text:small', 1, 3, 1]]);
	model.stop();
});

test('a group that is opened while an eye closes has the numbers of after it', async () => {
	const server = serve();
	const { model } = await modelOf(server, { group: ['arch', 'opt'] });
	server.hold = (filter, by) => by === 'opt' && !filter;
	const opening = model.flip(model.groups()[1]);
	await settled();
	await model.recount(['a']);
	server.hold = null;
	server.held.forEach((done) => done());
	await opening;
	const inner = [model.row(2), model.row(3)].map(({ node }) => [node.key, node.group.count, node.group.all]);
	assert.deepEqual(inner, [['opt', 2, 3], ['opt', 2, 2]]);
	model.stop();
});
