import assert from 'node:assert/strict';
import test from 'node:test';

import { makeShapes, makeWindow } from './browser.mjs';

makeWindow();
makeShapes();
const { loadTable, PARTS_MOST, roomOfTables } = await import('../../../web-static/js/tables/load_table.js');
const { TablePanel } = await import('../../../web-static/js/chart/kinds/table_panel.js');
const { byNumber, tableSource } = await import('../../../web-static/js/chart/kinds/table_history.js');
const { rowFile } = await import('../../../web-static/js/base/row_file.js');
const { shownRows, writeRows } = await import('../../../web-static/js/tables/save_table.js');
const { groupRows, groupSums, sortGroups } = await import('../../../web-static/js/tables/group_rows.js');
const { allRows } = await import('../../../web-static/js/tables/table.js');

const { addressedFile, versionFiles } = await import('../../../web-static/js/tables/version_files.js');

const table = (columns, data, more) => ({ columns, data, ...more });
const signal = new AbortController().signal;

/* A server that has these files; `asked` is what it was asked for. */
function serve(files) {
	const asked = [];
	globalThis.fetch = async (url) => {
		const path = decodeURIComponent(new URL(url).pathname.split('/api/v1/')[1]);
		asked.push(path);
		const found = files[path];
		if (found === undefined) return new Response('{"detail": "no such file"}', { status: 404 });
		return new Response(typeof found === 'string' ? found : JSON.stringify(found));
	};
	return asked;
}

const place = (all = []) => ({ pathOf: (path) => path.startsWith('away/') ? null : `v0/${path}`, list: async (folder) => ({ paths: all.filter((name) => name.startsWith(folder)) }) });
const load = (source, files = place()) => loadTable(source, { files, signal });
const shown = ({ columns }) => Object.fromEntries(columns.map(({ name, values }) => [name, values]));

test('a table of a file, and of JSON that is here', async () => {
	const asked = serve({ 'v0/a.table.json': table(['a'], [[1], [2]]) });
	let bytes = 0;
	const { table: found } = await loadTable({ path: 'v0/a.table.json' }, { files: place(), signal, onbytes: (count) => { bytes = count; } });
	assert.deepEqual([shown(found), asked], [{ a: [1, 2] }, ['v0/a.table.json']]);
	assert.equal(bytes, JSON.stringify(table(['a'], [[1], [2]])).length);
	assert.deepEqual(shown((await load({ json: table(['a'], [[3]]) })).table), { a: [3] });
});

test('what is no table, and what cannot be read', async () => {
	serve({ 'v0/a': '{"columns": ["a"], "data": [1]}', 'v0/b': '{', 'v0/c': '{"x": 1}' });
	assert.equal((await load({ path: 'v0/a' })).why, 'row 1 is not a list');
	assert.match((await load({ path: 'v0/b' })).why, /JSON/);
	assert.equal((await load({ path: 'v0/c' })).why, 'it has no "columns"');
	assert.equal((await load({ path: 'v0/none' })).fault.status, 404);
	globalThis.fetch = async () => { throw new TypeError('no network'); };
	assert.equal((await load({ path: 'v0/a' })).fault.status, 0);
});

test('the files of a version, none above it', async () => {
	const { pathOf, list } = versionFiles('v');
	assert.deepEqual(['a b/ü.png', 'x/../y', '..', './a', '/a', 'a//b', 'http://x/y'].map(pathOf), ['v/files/a%20b/%C3%BC.png', null, null, null, null, null, null]);
	const asked = [];
	globalThis.fetch = async (url) => {
		asked.push(url.search);
		return new Response(JSON.stringify({ items: [{ path: 'p/1' }], next_cursor: null }));
	};
	assert.deepEqual([await list('p/'), asked], [{ paths: ['p/1'], isCut: false }, ['?prefix=p%2F&limit=1000']]);
	globalThis.fetch = async () => new Response('{}', { status: 404 });
	assert.equal((await list('p/')).fault.status, 404);
});

test('increments are in the order in which they were logged', () => {
	const names = ['10-9.k.table.json', '2-7.k.table.json', 'None-5.k.table.json', '2-6.k.table.json', 'odd.table.json'];
	assert.deepEqual(names.sort(byNumber), ['odd.table.json', 'None-5.k.table.json', '2-6.k.table.json', '2-7.k.table.json', '10-9.k.table.json']);
});

test('an address leads to a file of the version that has its name; one that is not there yet is asked for again', async () => {
	const found = { entity: 'ann', project: 'p q', collection: 'run-r1-t', version: 'v3' };
	const asked = [];
	let status = 409;
	globalThis.fetch = async (url) => {
		asked.push(new URL(url).pathname);
		return new Response(JSON.stringify(found), { status });
	};
	const address = 'wandb-client-artifact://abc/val/t.table.json';
	assert.equal(await addressedFile('projects/ann/p', address), null);
	status = 200;
	const { path, files } = await addressedFile('projects/ann/p', address);
	assert.deepEqual([path, files.pathOf(path)], ['val/t.table.json', 'projects/ann/p%20q/artifacts/run-r1-t/versions/v3/files/val/t.table.json']);
	await addressedFile('projects/ann/p', address);
	assert.equal(asked.length, 2, 'it is known from then on');
	assert.equal((await addressedFile('projects/ann/p', 'wandb-artifact://4172/two.joined-table.json')).path, 'two.joined-table.json');
	for (const other of [null, undefined, '', 'media/x.png', 'wandb-client-artifact://a:latest/x']) assert.equal(await addressedFile('p', other), null);
	assert.equal(asked.length, 3);
});

test('a version that could not be looked up is a fault, and not the cut copy that the run has', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	let [asked, status] = [0, 500];
	globalThis.fetch = async () => {
		asked++;
		return new Response('{}', { status });
	};
	const entry = { type: 'table-file', path: 'media/t.table.json', address: 'wandb-client-artifact://failing/t.table.json' };
	const found = await tableSource(entry, { before: [], project: 'projects/ann/p', run: 'run' });
	assert.deepEqual([found.fault.status, found.source], [500, undefined]);
	const made = [];
	let mounting = null;
	const draw = (panel) => {
		mounting = panel.mount(['r', entry], () => panel.find({ id: 'r' }, entry), ({ source }) => {
			made.push(source.path);
			return { stop() {}, caret: () => null };
		});
	};
	const panel = Object.assign(tablePanel(draw), { place: { replaceChildren() {} } });
	for (let times = 0; times < 3; times++) {
		draw(panel);
		await mounting;
	}
	assert.deepEqual([asked, panel.fault.status, made], [2, 500, []]);
	status = 404;
	t.mock.timers.tick(5000);
	await mounting;
	assert.deepEqual([asked, panel.fault, made], [3, null, ['projects/ann/p/runs/r/files/media/t.table.json']]);
});

/* A panel of one run, of which want() reads again what is not read. */
function tablePanel(read) {
	const panel = Object.create(TablePanel.prototype, { keys: { value: ['t'] } });
	return Object.assign(panel, { seen: true, faults: {}, due: new Set(), steps: [], at: null, mounted: null, page: { path: 'projects/ann/p' }, changed() {},
		want: () => read(panel) });
}

test('a panel of a table reads the history again after a pause, not with each drawing', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	let [asked, status] = [0, 500];
	globalThis.fetch = async () => {
		asked++;
		return new Response(status === 200 ? '{"_step":3,"t._type":"table-file","t.path":"a"}\n' : '{}', { status });
	};
	let reading = null;
	const draw = (panel) => { reading = panel.readSteps({ id: 'r', latest: { type: 'table-file', path: 'a', address: null } }); };
	const panel = tablePanel(draw);
	for (let times = 0; times < 3; times++) {
		draw(panel);
		await reading;
	}
	assert.deepEqual([asked, panel.fault.status], [1, 500]);
	status = 403;
	t.mock.timers.tick(5000);
	await reading;
	draw(panel);
	await reading;
	t.mock.timers.tick(60000);
	assert.deepEqual([asked, panel.fault.status], [2, 403], 'a refusal is not repeated without being asked to');
	status = 200;
	panel.ask();
	await reading;
	assert.deepEqual([asked, panel.fault, panel.steps.map(({ step }) => step)], [3, null, [3]]);
});

test('a newer table of a run has the choices of the one before, which is shown until it is read', async () => {
	const shown = [];
	const panel = Object.assign(tablePanel(), { view: null, next: null, of: null, place: { replaceChildren() {}, append: (node) => shown.push(node) } });
	const reads = {};
	const view = (named) => (found, before) => ({ node: named, isRead: new Promise((done) => { reads[named] = done; }), choices: () => `those of ${named}`,
		caret: () => [1, 2], focus: (caret) => shown.push([named, caret]), stop: () => shown.push(`${named} ended`), before });
	const mount = (named, of) => panel.mount(named, async () => ({}), view(named), of);
	await mount('a', 'r');
	assert.deepEqual([shown.splice(0), panel.view.before()], [['a'], null]);
	const newer = mount('b', 'r');
	await new Promise(setImmediate);
	assert.deepEqual(shown, []);
	reads.b();
	await newer;
	assert.deepEqual([shown.splice(0), panel.view.before()], [['a ended', 'b', ['b', [1, 2]]], 'those of a']);
	await mount('c', 'other');
	assert.deepEqual(shown.splice(0), ['b ended', 'c', ['c', [1, 2]]], 'another run is not waited for');
	const late = mount('d', 'other');
	await new Promise(setImmediate);
	panel.leave();
	reads.d();
	await late;
	assert.deepEqual(shown, ['c ended', 'd ended']);
});

test('increments are one below the other', async () => {
	serve({ a: table(['x', 'y'], [[1, 2]]), b: table(['x', 'y'], [[3, 4], [5, 6]]) });
	assert.deepEqual(shown((await load({ paths: ['a', 'b'] })).table), { x: [1, 3, 5], y: [2, 4, 6] });
	assert.equal((await load({ paths: ['a', 'c'] })).fault.status, 404);
});

test('a joined table is its two tables by their key, or keys', async () => {
	const files = { 'v0/one.table.json': table(['id', 'a'], [[1, 'x'], [2, 'y']]), 'v0/in/two.table.json': table(['id', 'a', 'k'], [[2, 'z', 1]]) };
	serve(files);
	const joined = (join_key, more) => ({ _type: 'joined-table', table1: 'one.table.json', table2: 'in/two.table.json', join_key, ...more });
	const { table: found } = await load({ json: joined('id') });
	assert.deepEqual(shown(found), { id: [1, 2], 'a · one': ['x', 'y'], 'a · two': [null, 'z'], 'k · two': [null, 1] });
	assert.deepEqual(shown((await load({ json: joined(['id', 'k']) })).table).id, [1, 2]);
	assert.match((await load({ json: joined('none') })).fault.detail, /column none/);
	assert.match((await load({ json: joined('id', { table2: 'away/x' }) })).fault.detail, /away\/x/);
	const same = await load({ json: joined('id', { table2: 'one.table.json' }) });
	assert.deepEqual(same.table.columns.map(({ name }) => name), ['id', 'a · one 1', 'a · one 2']);
});

test('a partitioned table is all tables of its folder, in the order of their names', async () => {
	const names = ['parts/b.table.json', 'parts/a.table.json', 'parts/readme.txt'];
	const asked = serve({ 'v0/parts/a.table.json': table(['x'], [[1]]), 'v0/parts/b.table.json': table(['x'], [[2]]) });
	const whole = { _type: 'partitioned-table', parts_path: 'parts' };
	assert.deepEqual(shown((await load({ json: whole }, place(names))).table), { x: [1, 2] });
	assert.deepEqual(asked, ['v0/parts/a.table.json', 'v0/parts/b.table.json']);
	assert.match((await load({ json: whole }, place())).fault.detail, /parts\//);
	assert.match((await load({ json: whole }, { pathOf: () => null })).fault.detail, /parts\//);
	const many = Array.from({ length: PARTS_MOST + 1 }, (_, at) => `parts/${String(at).padStart(5, '0')}.table.json`);
	const more = serve(Object.fromEntries(many.map((name, at) => [`v0/${name}`, table(['x'], [[at]])])));
	const { table: found } = await load({ json: whole }, place(many));
	assert.deepEqual([found.rowCount, more.length, found.isCut], [PARTS_MOST, PARTS_MOST, true]);
});

test('parts that cannot be listed are a fault, and those beyond the list are told of', async (t) => {
	const whole = { _type: 'partitioned-table', parts_path: 'parts' };
	const list = async () => ({ fault: { status: 500 } });
	assert.equal((await load({ json: whole }, { ...place(), list })).fault.status, 500);
	serve({ 'v0/parts/a.table.json': table(['x'], [[1]]) });
	const cut = { ...place(), list: async () => ({ paths: ['parts/a.table.json'], isCut: true }) };
	assert.equal((await load({ json: whole }, cut)).table.isCut, true);
	const entry = { type: 'incremental-table-file', path: 'media/t.table.json', address: 'wandb-client-artifact://increments/t.table.json' };
	globalThis.fetch = async (url) => new Response(JSON.stringify({ entity: 'ann', project: 'p', collection: 't', version: 'v0' }), { status: String(url).includes('/files') ? 403 : 200 });
	assert.equal((await tableSource(entry, { before: [], project: 'projects/ann/p', run: 'run' })).fault.status, 403);
	t.diagnostic('neither is an empty table');
});

test('tables that are shown together have one room: the first rows of all, then no more is asked for', async () => {
	const part = table(['x', 'y'], [[1, 2], [3, 4], [5, 6]]);
	const names = ['a', 'b', 'c'].map((name) => `v0/${name}`);
	const asked = serve(Object.fromEntries(names.map((name) => [name, part])));
	const within = async (room) => (await loadTable({ paths: names }, { files: place(), signal, room })).table;
	const size = JSON.stringify(part).length;
	assert.deepEqual([(await within({ cells: 18, bytes: 3 * size })).rowCount, (await within({ cells: 18, bytes: 3 * size })).isCut, asked.length], [9, false, 6]);
	const few = await within({ cells: 10, bytes: 3 * size });
	assert.deepEqual([few.rowCount, few.isCut, shown(few).x], [5, true, [1, 3, 5, 1, 3]]);
	const room = { cells: 100, bytes: size };
	const first = await within(room);
	assert.deepEqual([first.rowCount, first.isCut, room.bytes, asked.length], [3, true, 0, 9]);
	assert.match((await loadTable({ path: 'v0/a' }, { files: place(), signal, room: { cells: 100, bytes: size - 1 } })).fault.detail, /too large/);
	assert.deepEqual(roomOfTables(), { cells: 20000000, bytes: 512 * 2 ** 20 });
});

test('a joined table that names no file is told of', async () => {
	serve({ 'v0/one.table.json': table(['id'], [[1]]) });
	for (const table2 of [null, undefined, 5, { path: 'x' }])
		assert.match((await load({ json: { _type: 'joined-table', table1: 'one.table.json', table2, join_key: 'id' } })).fault.detail, /is not here/);
});

test('boxes that could not be read are read again', async () => {
	const { readBoxes } = await import('../../../web-static/js/tables/image_figure.js');
	serve({});
	assert.equal(await readBoxes('v0/boxes.json'), null);
	serve({ 'v0/boxes.json': { box_data: [] } });
	assert.deepEqual(await readBoxes('v0/boxes.json'), { box_data: [] });
	const asked = serve({});
	assert.deepEqual([await readBoxes('v0/boxes.json'), asked], [{ box_data: [] }, []]);
});

test('what is copied of a group is what its cell shows', async () => {
	const { sumCopy } = await import('../../../web-static/js/tables/cell.js');
	const { table: found } = await load({ json: table(['k', 'n', 't'], [['a', null, 'x'], ['a', null, 'x'], ['b', 2, 'y'], ['b', 3, 'z']]) });
	const groups = groupRows(allRows(found), [found.column('k')]);
	const of = groupSums(groups);
	const copied = (which) => [0, 1].map((group) => ['n', 't'].map((name) => sumCopy(of(group, found.column(name)), { which, size: 2, kind: found.column(name).kind })));
	assert.deepEqual(copied('sum'), [['', 'x'], ['5', '2 different']]);
	assert.deepEqual(copied('min'), [['', 'x'], ['2', '2 different']]);
});

test('tables that name each other end', async () => {
	serve({ 'v0/a.joined-table.json': { _type: 'joined-table', table1: 'a.joined-table.json', table2: 'a.joined-table.json', join_key: 'x' } });
	assert.match((await load({ path: 'v0/a.joined-table.json' })).why, /too many/);
});

async function written(as, of, options) {
	const file = rowFile(options);
	const full = await writeRows(file, as, shownRows(of), { signal });
	return [await file.blob('').text(), full];
}

test('saved: rows as they are shown, texts that are formulas to a spreadsheet as texts, what JSON has not as texts', async () => {
	const { table: found } = await load({ json: table(['a', 'b'], [[1, '=x'], [NaN, { path: 'p.png', _type: 'image-file' }], [null, 'q"']]) });
	const of = { table: found, rows: Uint32Array.from([2, 1, 0]), groups: null };
	assert.deepEqual(await written('csv', of), ['a,b\r\n,"q"""\r\nNaN,p.png\r\n1,\'=x\r\n', null]);
	const [json, full] = await written('json', of);
	assert.deepEqual([JSON.parse(json), full], [{ columns: ['a', 'b'], data: [[null, 'q"'], ['NaN', { path: 'p.png', _type: 'image-file' }], [1, '=x']] }, null]);
	const [cut, limit] = await written('json', of, { most: { rows: 2, bytes: 1000 } });
	assert.deepEqual([JSON.parse(cut).data.length, limit], [2, 'rows']);
});

test('saved: groups with what they show', async () => {
	const { table: found } = await load({ json: table(['k', 't', 'n'], [['a', 'x', 1], ['b', 'y', 5], ['a', 'z', 3], ['c', 'w', null]]) });
	const groups = groupRows(allRows(found), [found.column('k')]);
	const of = groupSums(groups);
	const shownGroups = { groups, of, order: sortGroups(groups, { column: found.column('k'), isDown: true, sum: 'mean', of }) };
	const [csv] = await written('csv', { table: found, rows: allRows(found), groups: shownGroups, sum: 'mean' });
	assert.equal(csv, 'k,Rows,mean(n)\r\nc,1,\r\nb,1,5\r\na,2,2\r\n');
});
