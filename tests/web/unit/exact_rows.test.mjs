/* All rows of runs as they are read for a file. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ROWS_MOST, readExact } from '../../../web-static/js/chart/exact_rows.js';
import { makeWindow } from './browser.mjs';

makeWindow();
const { FORMS } = await import('../../../web-static/js/chart/exact_save.js');

/* A server whose runs have so many rows each, that sends them in pieces of 7 bytes. */
function serverOf(counts) {
	const asked = [];
	const ask = async (method, path, body, { signal, onBytes }) => {
		asked.push(path);
		const rows = counts[path.split('/')[3]];
		if (rows === undefined) return { status: 404, body: { detail: 'gone' } };
		const bytes = new TextEncoder().encode(Array.from({ length: rows }, (_, at) => `{"_row":${at},"größe":${at}}\n`).join(''));
		for (let at = 0; at < bytes.length && !signal.aborted; at += 7) onBytes(bytes.subarray(at, at + 7));
		return { status: signal.aborted ? 0 : 200 };
	};
	return { ask, asked };
}

async function read(counts, more = {}) {
	const { ask, asked } = serverOf(counts);
	const lines = [];
	const told = [];
	const runs = (more.runs || Object.keys(counts)).map((id) => ({ id, name: `run ${id}` }));
	const end = await readExact({ path: 'projects/a/b', signal: new AbortController().signal, keys: ['größe', 'a,b'], ...more, runs,
		take: (run, some) => lines.push(...some.map((line) => [run.id, JSON.parse(line).größe])),
		told: (...at) => told.push(at) }, (method, path, ...rest) => ask(method, path.replace('projects/a/b/runs', 'p/a/b'), ...rest));
	return { end, lines, told, asked };
}

test('exact rows: run after run, by keys with commas and the steps that are seen', async () => {
	const { end, lines, told, asked } = await read({ one: 2, two: 1 }, { zoom: [3, 9] });
	assert.deepEqual([end, lines], [{ isCut: false }, [['one', 0], ['one', 1], ['two', 0]]]);
	assert.deepEqual([told[0], told.at(-1)], [[1, 0], [2, 3]]);
	assert.equal(decodeURIComponent(asked[0].split('?')[1]), 'format=ndjson&keys=größe,a\\,b&from=3&to=9');
});

test('exact rows: as many as can be held are whole, one more is told', async () => {
	assert.equal(ROWS_MOST, 1000000);
	for (const [counts, rows, isCut] of [[{ one: 3, two: 2 }, 5, false], [{ one: 3, two: 3 }, 5, true], [{ one: 9, two: 1 }, 5, true]]) {
		const { end, lines } = await read(counts, { most: 5 });
		assert.deepEqual([end, lines.length], [{ isCut }, rows]);
	}
});

test('exact rows: a run that is gone and one who stops', async () => {
	assert.equal((await read({ one: 1 }, { runs: ['one', 'lost'] })).end.fault.status, 404);
	const control = new AbortController();
	control.abort();
	assert.deepEqual((await read({ one: 1 }, { signal: control.signal })).end, {});
});

test('exact rows: as a file each row says whose it is', () => {
	const run = { id: 'r1', name: 'a "b"' };
	const lines = ['{"_row":1,"_label":"rank0","_step":0,"loss":"NaN","big":12345678901234567890}', '{"_row":2,"_step":1,"loss":[1]}'];
	assert.equal(FORMS.ndjson.rows(run, lines.slice(0, 1)), `{"run":"a \\"b\\"","id":"r1",${lines[0].slice(1)}\n`);
	assert.equal(FORMS.csv.head(['loss']), 'run,id,_row,_label,_step,_timestamp,loss\r\n');
	assert.equal(FORMS.csv.rows(run, lines, ['loss']), '"a ""b""",r1,1,rank0,0,,NaN\r\n"a ""b""",r1,2,,1,,[1]\r\n');
});
