import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { rowFile } = await import('../../../web-static/js/base/row_file.js');
const { everyRun, writeAll } = await import('../../../web-static/js/list/list_csv.js');

const runs = Array.from({ length: 2500 }, (_, at) => ({ id: `r${at}`, by: { 'config.lr': at } }));

/* Pages of the runs; what was asked for goes into `asked`. */
function reader(asked = []) {
	return async ({ limit, cursor }) => {
		const from = Number(cursor || 0);
		asked.push([limit, cursor]);
		return { status: 200, items: runs.slice(from, from + limit),
			body: { count: runs.length, next_cursor: from + limit < runs.length ? String(from + limit) : null } };
	};
}

function valuesOf({ fault = null, read = [] } = {}) {
	return { at: (run, key) => run.by[key], async read(some) {
		read.push(some.length);
		return some.some(({ id }) => id === 'r1500') ? fault : null;
	} };
}

async function write(pages, { most = {}, values = valuesOf(), base = null, told = [], signal = {} } = {}) {
	const file = rowFile({ most: { rows: 10000, bytes: 2 ** 20, ...most } });
	const ended = await writeAll(pages, file, { columns: [{ key: 'config.lr', isChange: base !== null }], values, base,
		card: { signal, tell: (line, done, max) => told.push([done, max]) } });
	return { ended, told, lines: (await file.blob('text/csv').text()).trim().split('\r\n') };
}

test('all runs are read to the end, those on top first, each once', async () => {
	const [asked, read] = [[], []];
	const { ended, told, lines } = await write(everyRun(reader(asked), [runs[7], runs[2100]]),
		{ values: valuesOf({ read }), base: runs[7] });
	assert.deepEqual(ended, {});
	assert.deepEqual(asked, [[1000, ''], [1000, '1000'], [1000, '2000']]);
	assert.equal(lines[0], 'id,name,state,started,config.lr,config.lr change,config.lr relative change');
	assert.deepEqual(lines.slice(1, 4), ['r7,r7,,,7,0,0', 'r2100,r2100,,,2100,2093,299', 'r0,r0,,,0,-7,-1']);
	assert.equal(new Set(lines.slice(1).map((line) => line.split(',')[0])).size, 2500);
	assert.equal(lines.length, 2501);
	assert.deepEqual(read, [1, 2, 999, 1000, 499], 'what metrics were is asked for of a page at a time');
	assert.deepEqual(told, [[1001, 2502], [2001, 2502], [2500, 2502]]);
});

test('a file has no more runs, and no more bytes, than it may', async () => {
	const few = await write(everyRun(reader(), []), { most: { rows: 1200 } });
	assert.deepEqual([few.ended, few.lines.length, few.lines.at(-1)], [{ full: 'rows', count: 2500 }, 1201, 'r1199,r1199,,,1199']);
	const small = await write(everyRun(reader(), []), { most: { bytes: 100 } });
	assert.deepEqual([small.ended.full, small.lines.length < 10], ['bytes', true]);
});

test('what cannot be read is told, and who stops it has no file', async () => {
	const fault = { status: 500, body: null };
	assert.equal((await write(everyRun(reader(), []), { values: valuesOf({ fault }) })).ended.fault, fault);
	const refused = await write(everyRun(async () => ({ ...fault, items: [] }), []));
	assert.equal(refused.ended.fault.status, 500);
	const asked = [];
	await write(everyRun(reader(asked), []), { signal: { get aborted() { return asked.length > 1; } } });
	assert.equal(asked.length, 2);
});
