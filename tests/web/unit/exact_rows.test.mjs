/* All rows of runs as they are read for a file. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MOST, rowFile } from '../../../web-static/js/base/row_file.js';
import { makeWindow } from './browser.mjs';

makeWindow();
const { lostOf } = await import('../../../web-static/js/chart/line/exact_save.js');
const { readExact } = await import('../../../web-static/js/chart/line/exact_rows.js');

const CSV_HEAD = '_row,_label,_step,_timestamp,loss\r\n';

/*
 * A server whose runs have this text each, that sends it in pieces of 7 bytes; a run without one is gone. breaks: of
 * runs after how many bytes it ends without an end, and what is said then of the run.
 */
function serverOf(texts, { status = 404, breaks = {} } = {}) {
	const asked = [];
	const stream = async (method, path, body, { signal, accept, onBytes }) => {
		asked.push([path, accept]);
		const id = path.split('/')[4];
		if (texts[id] === undefined) return { status, body: { detail: 'gone' } };
		const bytes = new TextEncoder().encode(texts[id]).subarray(0, breaks[id]?.after);
		for (let at = 0; at < bytes.length && !signal.aborted; at += 7) onBytes(bytes.subarray(at, at + 7));
		return { status: signal.aborted || breaks[id] ? 0 : 200 };
	};
	const look = async (method, path) => ({ status: breaks[path.split('/')[4]].then });
	return { stream, look, asked };
}

async function read(texts, { kind = 'ndjson', runs = Object.keys(texts), keys = ['loss'], most, status, breaks, ...more } = {}) {
	const { asked, ...server } = serverOf(texts, { status, breaks });
	const told = [];
	const file = rowFile({ ...most && { most }, piece: 64 });
	const end = await readExact({ path: 'projects/a/b', runs: runs.map((id) => ({ id, name: `run "${id}"` })), keys, kind, file,
		signal: new AbortController().signal, progress: (...at) => told.push(at), ...more }, server);
	const blob = file.blob('text/plain');
	assert.equal(blob.size, file.so.bytes);
	return { end, told, asked, rows: file.so.rows, bytes: file.so.bytes, text: await blob.text() };
}

const rowsOf = (count) => Array.from({ length: count }, (_, at) => `{"_row":${at},"größe":${at}}\n`).join('');

test('exact rows: run after run, by keys with commas and the steps that are seen', async () => {
	const { end, text, told, asked } = await read({ one: rowsOf(2), two: rowsOf(1) }, { zoom: [3, 9], keys: ['größe', 'a,b'] });
	assert.deepEqual(end, { full: null, gone: [], cut: [] });
	assert.deepEqual(text.trim().split('\n').map(JSON.parse).map((row) => [row._run, row._name, row._row, row.größe]),
		[['one', 'run "one"', 0, 0], ['one', 'run "one"', 1, 1], ['two', 'run "two"', 0, 0]]);
	assert.deepEqual([told[0], told.at(-1)], [[1, 0], [2, 3]]);
	assert.equal(decodeURIComponent(asked[0][0].split('?')[1]), 'format=ndjson&texts=whole&keys=größe,a\\,b&from=3&to=9');
	assert.equal(asked[0][1], 'application/x-ndjson');
});

test('exact rows: numbers are as they came, and a metric may be called as it likes', async () => {
	const row = '{"_row":1,"_label":"rank0","_step":0,"id":7,"run":8,"loss":"-Infinity","big":9007199254740993}';
	assert.equal((await read({ r1: `${row}\n` })).text, `{"_run":"r1","_name":"run \\"r1\\"",${row.slice(1)}\n`);
});

test('exact rows: CSV is the server\'s own with two cells in front, and has one head', async () => {
	const rows = ['1,rank0,0,5,-Infinity', '2,rank0,1,6,9007199254740993', '3,rank0,2,7,"a ""b"",\r\n\n,c"'];
	const one = `${CSV_HEAD}${rows.map((row) => `${row}\r\n`).join('')}`;
	const found = await read({ one, none: CSV_HEAD, two: `${CSV_HEAD}4,"x,y",0,,1\r\n` }, { kind: 'csv' });
	assert.equal(found.text, `_run,_name,${CSV_HEAD}${rows.map((row) => `one,"run ""one""",${row}\r\n`).join('')}`
		+ 'two,"run ""two""",4,"x,y",0,,1\r\n');
	assert.deepEqual([found.rows, found.end, found.asked[0][1]], [4, { full: null, gone: [], cut: [] }, 'text/csv']);
});

test('exact rows: of CSV what a spreadsheet would take for a formula is a text, and numbers are numbers', async () => {
	const head = '_row,_label,_step,_timestamp,=key,"-a,b"\r\n';
	const rows = [
		'1,rank0,0,5,"=HYPERLINK(""http://x"",""y"")",-1.5e-3', '2,=1+1,1,6,-Infinity,+7', '3,"@a,=b",2,7,"\t=c",NaN',
		'4,-2+3,3,8,"\r\n=d",-.5', '5,größe,4,9,,', '6,"",5,1,"a ""=b"",=c",=',
	];
	const { text } = await read({ r1: [head, ...rows.map((row) => `${row}\r\n`)].join('') }, { kind: 'csv' });
	assert.deepEqual(text.split('\r\nr1,"run ""r1""",'), [
		'_run,_name,_row,_label,_step,_timestamp,\'=key,"\'-a,b"', '1,rank0,0,5,"\'=HYPERLINK(""http://x"",""y"")",-1.5e-3',
		'2,\'=1+1,1,6,-Infinity,+7', '3,"\'@a,=b",2,7,"\'\t=c",NaN', '4,\'-2+3,3,8,"\'\r\n=d",-.5', '5,größe,4,9,,',
		'6,"",5,1,"a ""=b"",=c",\'=\r\n',
	]);
});

test('exact rows: as many as can be held are whole, one more is told', async () => {
	assert.deepEqual(MOST, { rows: 1000000, bytes: 268435456 });
	const all = await read({ one: rowsOf(3), two: rowsOf(2) });
	for (const [most, full] of [[{ rows: 5, bytes: Infinity }, null], [{ rows: 4, bytes: Infinity }, 'rows'],
		[{ rows: Infinity, bytes: all.bytes }, null], [{ rows: Infinity, bytes: all.bytes - 1 }, 'bytes']]) {
		const { end, rows, text } = await read({ one: rowsOf(3), two: rowsOf(2) }, { most });
		assert.deepEqual([end, rows], [{ full, gone: [], cut: [] }, full ? 4 : 5]);
		assert.ok(all.text.startsWith(text) && text.endsWith('}\n'), 'no half row');
	}
	const { end, asked } = await read({ one: rowsOf(9), two: rowsOf(1) }, { most: { rows: 5, bytes: Infinity } });
	assert.deepEqual([end.full, asked.length], ['rows', 1], 'nothing more is asked for');
});

test('exact rows: a row that is longer than a piece of the file', async () => {
	const long = `{"_row":0,"text":"${'x'.repeat(200)}"}\n`;
	const { text } = await read({ one: `${rowsOf(1)}${long}${rowsOf(1)}` });
	assert.deepEqual(text.trim().split('\n').map((row) => JSON.parse(row).text?.length), [undefined, 200, undefined]);
});

test('exact rows: a run that is gone is left out and told, a fault ends it, and so does one who stops', async () => {
	for (const status of [404, 410]) {
		const { end, text } = await read({ one: rowsOf(1), two: rowsOf(1) }, { runs: ['one', 'lost', 'two'], status });
		assert.deepEqual([end, text.trim().split('\n').length], [{ full: null, gone: ['run "lost"'], cut: [] }, 2]);
	}
	assert.equal((await read({ one: rowsOf(1) }, { runs: ['lost', 'one'], status: 500 })).end.fault.status, 500);
	const control = new AbortController();
	control.abort();
	assert.deepEqual((await read({ one: rowsOf(1) }, { signal: control.signal })).end, {});
});

test('exact rows: of a run that is deleted while its rows come the whole ones stay, which is told', async () => {
	const texts = { one: rowsOf(3), two: rowsOf(1) };
	const [row] = rowsOf(1).split('\n').map((line) => new TextEncoder().encode(line).length + 1);
	for (const [after, then, end, rows] of [
		[2 * row, 410, { full: null, gone: [], cut: ['run "one"'] }, 3],
		[2 * row - 1, 404, { full: null, gone: [], cut: ['run "one"'] }, 2],
		[row - 1, 404, { full: null, gone: ['run "one"'], cut: [] }, 1],
		[2 * row, 200, { fault: { status: 0 } }, 2],
		[2 * row, 403, { fault: { status: 403 } }, 2],
		[2 * row, 0, { fault: { status: 0 } }, 2],
	]) {
		const one = await read(texts, { breaks: { one: { after, then } } });
		assert.deepEqual([one.end, one.rows], [end, rows]);
		assert.ok(one.text.endsWith('}\n') || !rows, 'no half row');
	}
});

test('exact rows: runs that are deleted are told by name, of many the first', () => {
	assert.deepEqual(lostOf([], []).filter(Boolean), []);
	assert.equal(lostOf(['a'], [])[0], 'a was deleted while the file was made and is not in the file.');
	const [gone, cut] = lostOf(['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'd', 'e', 'f']);
	assert.equal(gone, 'a, b, c, d, e were deleted while the file was made and are not in the file.');
	assert.equal(cut, 'Deleted while the file was made: a, b, c, d, e and 1 more. The file has only the rows read before.');
});
