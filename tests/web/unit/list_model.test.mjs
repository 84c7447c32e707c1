import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';
import { settled } from './settled.mjs';

makeWindow();
const { listModel } = await import('../../../web-static/js/list/model/list_model.js');
const { listSelection } = await import('../../../web-static/js/list/list_selection.js');
const { listWalk } = await import('../../../web-static/js/list/list_walk.js');
const { text } = await import('../../../web-static/js/text/list.js');

const VIEW = { filter: '', sort: [], group: [], base: [] };
const COLUMNS = [{ key: 'config.lr', isNumber: true }];

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

test('how old a list is that a busy server answered is told until an answer has all', async () => {
	let behind = { behind_s: 2.4 };
	globalThis.fetch = async () => Response.json({ items: [{ id: 'r1', values: [] }], count: 1, ...behind });
	const model = modelOf();
	await model.open(VIEW, []);
	assert.equal(model.behind(), 2.4);
	assert.equal(text.workspace.footBehind(2.4), ' · as of 2 s ago');
	behind = {};
	await model.open(VIEW, []);
	assert.equal(model.behind(), 0);
});

test('an answer that is older than what was told meanwhile does not write over it', async () => {
	const held = [];
	let isHeld = false;
	globalThis.fetch = async () => {
		const answer = Response.json({ items: [{ id: 'r1', state: 'running', rows: 100, values: [] }], count: 1 });
		if (isHeld) await new Promise((done) => held.push(done));
		return answer;
	};
	const model = modelOf();
	await model.open(VIEW, []);
	for (const [rows, again] of [[101, () => model.look(['r1'], false)], [102, () => model.open(VIEW, COLUMNS)]]) {
		isHeld = true;
		const reading = again();
		await settled();
		model.tell([{ id: 'r1', rows }]);
		isHeld = false;
		held.splice(0).forEach((done) => done());
		await reading;
		assert.equal(model.row(0).run.rows, rows);
	}
	const fetched = globalThis.fetch;
	globalThis.fetch = async (url) => {
		if (!url.searchParams.has('ids')) await new Promise((done) => held.push(done));
		return fetched(url);
	};
	const looking = model.look(['r1'], true);
	while (model.row(0).run.rows !== 100) await settled();
	model.tell([{ id: 'r1', rows: 103 }]);
	held[0]();
	await looking;
	assert.equal(model.row(0).run.rows, 103, 'also where it is counted for longer');
	globalThis.fetch = fetched;
	const late = model.look(['r1'], false);
	model.took([{ id: 'r1', display_name: 'renamed', rows: 104 }]);
	await late;
	assert.deepEqual([model.row(0).run.display_name, model.row(0).run.rows], ['renamed', 104], 'nor over a change of one\'s own');
	await model.look(['r1'], false);
	assert.equal(model.row(0).run.rows, 100, 'what was told before it was asked for is older');
});

test('an event after a change of one\'s own is newer than what that was answered', async () => {
	globalThis.fetch = async () => Response.json({ items: [{ id: 'r1', state: 'finished', rows: 100, values: [] }], count: 1 });
	const run = { id: 'r1', display_name: 'renamed', state: 'running', ended_at: null };
	const end = { id: 'r1', state: 'finished', ended_at: '2026-01-01T00:00:00Z', rows: 104 };
	const model = modelOf();
	await model.open(VIEW, []);
	for (const [told, state, ended] of [[[run, end], 'finished', end.ended_at], [[end, run], 'running', null]]) {
		const looking = model.look(['r1'], false);
		for (const one of told) (one === run ? model.took : model.tell).call(model, [one]);
		await looking;
		const { display_name: name, state: shown, ended_at: at } = model.row(0).run;
		assert.deepEqual([name, shown, at], ['renamed', state, ended]);
	}
	const looking = model.look(['r1'], false);
	model.tell([{ id: 'r1', state: 'crashed', rows: 105 }]);
	await looking;
	assert.deepEqual([model.row(0).run.state, model.row(0).run.rows], ['finished', 105], 'alone it tells numbers');
});

test('a filter that is refused while one before it is read leaves the rows, and what is asked of them, as one', async () => {
	const asked = [];
	const server = serve({ refuses: (url) => {
		asked.push(url.searchParams.get('filter'));
		return url.searchParams.get('filter') === 'no:';
	} });
	const model = modelOf();
	assert.equal(await model.open({ ...VIEW, filter: 'a' }, []), null);
	server.holds = (url) => url.searchParams.get('filter') === 'b';
	const superseded = model.open({ ...VIEW, filter: 'b' }, []);
	await settled();
	assert.equal(model.stands().filter, 'a', 'what charts draw is what the rows are of');
	assert.equal((await model.open({ ...VIEW, filter: 'no:' }, [])).status, 400);
	assert.deepEqual([model.view().filter, model.stands().filter], ['a', 'a']);
	server.held.forEach((done) => done());
	assert.equal(await superseded, null);
	assert.deepEqual([model.view().filter, model.stands().filter], ['a', 'a']);
	await model.look([], true);
	assert.equal(asked.at(-1), 'a');
});

test('groups that were to be read when a filter was refused are read of the rows that stand', async () => {
	const groups = [];
	serve({ refuses: (url) => {
		if (url.pathname.endsWith('/groups')) groups.push(url.searchParams.get('filter'));
		return url.searchParams.get('filter') === 'no:';
	} });
	const model = modelOf();
	const view = (filter) => ({ ...VIEW, filter, group: ['group'] });
	assert.equal(await model.open(view('a'), []), null);
	let refused = null;
	const fetched = globalThis.fetch;
	globalThis.fetch = (url, ...more) => {
		if (url.pathname.endsWith('/groups') && !refused) refused = model.open(view('no:'), []);
		return fetched(url, ...more);
	};
	assert.equal(await model.open(view('b'), []), null);
	assert.equal((await refused).status, 400);
	assert.deepEqual([model.view().filter, model.stands().filter, groups.at(-1), groups.length], ['b', 'b', 'b', 3]);
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

test('a group that is being opened while the list is read anew is open in it', async () => {
	const held = [];
	let isHeld = true;
	globalThis.fetch = async (url) => {
		const isGroups = url.pathname.endsWith('/groups');
		if (isGroups && url.searchParams.has('group') && isHeld) {
			isHeld = false;
			await new Promise((done) => held.push(done));
		}
		const group = { group: '"x"', kind: 'text', value: 'x', count: 1, numbers: [] };
		return Response.json({ items: [isGroups ? group : { id: 'r1', values: [] }], count: 1 });
	};
	const model = modelOf();
	const view = { ...VIEW, group: ['config.a', 'config.b'] };
	assert.equal(await model.open(view, []), null);
	const flipped = model.flip(model.row(0).node);
	await settled();
	assert.equal(held.length, 1);
	assert.equal(await model.open({ ...view }, COLUMNS), null);
	held[0]();
	await flipped;
	assert.deepEqual([model.count(), model.row(0).isOpen, model.row(1).node?.depth], [2, true, 1]);
});

test('a run that stands far down is sought page by page, as far as it is told to', async () => {
	const offsets = [];
	globalThis.fetch = async (url) => {
		const from = Number(url.searchParams.get('cursor') || url.searchParams.get('offset') || 0);
		offsets.push(from);
		return Response.json({ items: Array.from({ length: 200 }, (_, at) => ({ id: `r${from + at}` })), count: 100000,
			next_cursor: String(from + 200) });
	};
	const model = listModel({ entity: 'ann', project: 'p', changed: () => walk.tell(true), failed() {} });
	const walk = listWalk({ model, rows: { show() {} }, draw() {} });
	assert.equal(await model.open(VIEW, []), null);
	assert.equal(await walk.next('r450', 1), 'r451');
	assert.equal(await walk.next('r0', -1), null);
	assert.deepEqual(offsets, [0, 200, 400]);
	assert.equal(await walk.next('nowhere', 1), 'r0', 'who is not in the list goes on from its beginning');
	assert.equal(Math.max(...offsets), 1800);
});

test('rows that cannot be read are neither the end of the list nor its beginning', async () => {
	let isAway = false;
	const offsets = [];
	globalThis.fetch = async (url) => {
		const from = Number(url.searchParams.get('cursor') || url.searchParams.get('offset') || 0);
		offsets.push(from);
		if (isAway) return Response.json({ detail: 'not now' }, { status: 500 });
		return Response.json({ items: Array.from({ length: 200 }, (_, at) => ({ id: `r${from + at}` })), count: 1000,
			next_cursor: String(from + 200) });
	};
	const model = listModel({ entity: 'ann', project: 'p', changed: () => walk.tell(true), failed: () => walk.tell(false) });
	const walk = listWalk({ model, rows: { show: (at) => model.need(at, at + 1) }, draw() {} });
	assert.equal(await walk.next('r0', 1), false, 'nothing was read');
	assert.equal(await model.open(VIEW, []), null);
	isAway = true;
	assert.equal(await walk.next('r199', 1), false);
	assert.equal(await walk.next('r250', 1), false, 'where it stands is not known');
	assert.equal(await walk.next('r198', 1), 'r199');
	assert.deepEqual(offsets, [0, 200, 200, 200], 'once a step');
	await settled();
	isAway = false;
	assert.equal(await walk.next('r250', 1), 'r251');
});

test('who waits for rows of a list that ended is told', async () => {
	const model = listModel({ entity: 'ann', project: 'p', changed() {}, failed() {} });
	const walk = listWalk({ model, rows: { show: (at) => model.need(at, at + 1) }, draw() {} });
	globalThis.fetch = async (url) => url.searchParams.has('cursor') ? new Promise(() => {})
		: Response.json({ items: Array.from({ length: 200 }, (_, at) => ({ id: `r${at}` })), count: 1000, next_cursor: '200' });
	await model.open(VIEW, []);
	const waits = [walk.next('r199', 1), walk.next('r300', 1)];
	await settled();
	walk.stop();
	assert.deepEqual(await Promise.all(waits), [false, false]);
	assert.equal(await walk.next('r0', 1), false);
});

test('the colours of groups are those of all groups of the project, whatever the filter', async () => {
	const asked = [];
	const group = (value) => ({ group: `text:${value}`, kind: 'text', value, count: 1, numbers: [] });
	globalThis.fetch = async (url) => {
		if (!url.pathname.endsWith('/groups')) return Response.json({ items: [], count: 0 });
		const filter = url.searchParams.get('filter');
		asked.push([filter, url.searchParams.get('by')]);
		return Response.json({ items: (filter ? ['d'] : ['a', 'b', 'c', 'd']).map(group), count: 1 });
	};
	const view = (filter) => ({ ...VIEW, filter, group: ['config.opt'] });
	const slotOf = (model) => model.slotsFor(VIEW)([{ key: 'config.opt', group: { group: 'text:d' } }]);
	const whole = modelOf();
	assert.equal(await whole.open(view(''), []), null);
	const before = slotOf(whole);
	assert.equal(await whole.open(view('lr'), []), null);
	await settled();
	assert.deepEqual([slotOf(whole), asked], [before, [[null, 'config.opt'], ['lr', 'config.opt']]], 'and no more is asked for them');
	const narrow = modelOf();
	assert.equal(await narrow.open(view('lr'), []), null);
	await settled();
	assert.deepEqual([slotOf(narrow), asked.slice(2)], [before, [['lr', 'config.opt'], [null, 'config.opt']]]);
	[whole, narrow].forEach((model) => model.stop());
});

test('groups are in the order that the list is sorted by, whether a column shows it or not', async () => {
	const asked = [];
	const group = ([value, mean]) => ({ group: `text:${value}`, kind: 'text', value, count: 1, numbers: [{ count: 1, mean }] });
	globalThis.fetch = async (url) => {
		if (!url.pathname.endsWith('/groups')) return Response.json({ items: [], count: 0 });
		asked.push(url.searchParams.get('of'));
		return Response.json({ items: [['sgd', 2.6], ['lion', 2.4], ['adam', 2.5]].map(group), groups: 3, runs: 3 });
	};
	const sorted = async (key, down, columns) => {
		const model = modelOf();
		assert.equal(await model.open({ ...VIEW, group: ['config.opt'], sort: [{ key, down }] }, columns), null);
		model.stop();
		return [model.groups().map((node) => node.group.value), model.areGroupsBySize(), asked.at(-1)];
	};
	const loss = [{ key: 'summary.loss', isNumber: true }];
	assert.deepEqual(await sorted('summary.loss', false, loss), [['lion', 'adam', 'sgd'], false, 'summary.loss']);
	assert.deepEqual(await sorted('summary.loss', true, []), [['sgd', 'adam', 'lion'], false, 'summary.loss']);
	assert.deepEqual(await sorted('created_at', true, loss), [['sgd', 'lion', 'adam'], true, 'summary.loss']);
});

test('runs that are saved are looked up at once, as they were read last', () => {
	let readings = 0;
	const listed = Array.from({ length: 5000 }, (_, at) => ({ id: `r${at}`, rows: 2 }));
	const loaded = () => {
		readings++;
		return listed;
	};
	const model = { base: () => [], loaded, opened: () => [], others: () => [{ id: 'other', rows: 3 }] };
	const selection = listSelection({ model, rowAt() {}, groupKeys: () => [], changed() {} });
	const some = [...listed.map(({ id }) => ({ id, rows: 1 })), { id: 'other', rows: 1 }, { id: 'gone', rows: 1 }];
	assert.deepEqual(selection.asRead(some).map(({ rows }) => rows), [...listed.map(() => 2), 3, 1]);
	assert.equal(readings, 1);
});

test('different values that were refused are not asked for again of the same runs and keys', async () => {
	const asked = [];
	globalThis.fetch = async (url) => {
		if (!url.pathname.endsWith('/groups')) return Response.json({ items: [], count: 0 });
		asked.push(url.searchParams.get('different') ?? '');
		if (asked.at(-1).includes('id')) {
			return Response.json({ detail: 'too many', field: 'different' }, { status: 422 });
		}
		return Response.json({ items: [{ group: 'text:a', kind: 'text', value: 'a', count: 1, numbers: [] }], groups: 1, runs: 1 });
	};
	const model = modelOf();
	const view = { ...VIEW, group: ['state'] };
	const told = async (next, keys) => {
		asked.length = 0;
		assert.equal(await model.open(next, keys.map((key) => ({ key, isNumber: false }))), null);
		return asked.filter(Boolean);
	};
	assert.deepEqual(await told(view, ['id']), ['id']);
	assert.equal(model.groups().length, 1, 'the groups are there without them');
	assert.deepEqual(await told(view, ['id']), []);
	assert.equal(model.groups().length, 1);
	assert.deepEqual(await told(view, ['id', 'host']), ['id,host'], 'other keys');
	assert.deepEqual(await told({ ...view, filter: 'a' }, ['id']), ['id'], 'other runs');
	assert.deepEqual(await told(view, ['host']), ['host']);
	assert.deepEqual(await told(view, ['host']), ['host'], 'what was not refused');
	assert.deepEqual(await told(view, ['id']), []);
});
