import assert from 'node:assert/strict';
import test from 'node:test';

import { DelimitedReader } from '../../../web-static/js/files/delimited.js';
import { FileParts } from '../../../web-static/js/files/file_parts.js';
import { PART_BYTES, isBinary, kindOf } from '../../../web-static/js/files/kind.js';
import { lineReader } from '../../../web-static/js/files/line_reader.js';
import { foldersOf, matching, rowsOf, treeOf } from '../../../web-static/js/files/tree.js';

function files(...names) {
	return names.map((name) => ({ name, bytes: name.length }));
}

function shown(top, open = []) {
	return rowsOf(top, (path) => open === 'all' || open.includes(path)).map(({ depth, item, isOpen }) => `${'-'.repeat(depth)}${item.name}${isOpen === false ? '/' : ''}`);
}

test('names as a tree: folders first, numbers in their order, closed ones tell of all below', () => {
	const top = treeOf(files('media/b/10.png', 'media/b/9.png', 'media/a.png', 'config.yaml', 'a'));
	assert.deepEqual(shown(top), ['media/', 'a', 'config.yaml']);
	assert.deepEqual(shown(top, ['media']), ['media', '-b/', '-a.png', 'a', 'config.yaml']);
	assert.deepEqual(shown(top, 'all'), ['media', '-b', '--9.png', '--10.png', '-a.png', 'a', 'config.yaml']);
	const media = top.folders.get('media');
	assert.deepEqual([media.count, media.bytes, top.count], [3, 14 + 13 + 11, 5]);
	assert.deepEqual(foldersOf('media/b/9.png'), ['media', 'media/b']);
	assert.deepEqual(foldersOf('a'), []);
});

test('odd names are names: what objects have, a file beside a folder of its name, deep ones', () => {
	const top = treeOf(files('__proto__/x', 'constructor', 'a', 'a/b', `${'d/'.repeat(500)}e`));
	assert.deepEqual(shown(top), ['__proto__/', 'a/', 'd/', 'a', 'constructor']);
	assert.equal(shown(top, 'all').length, 2 + 2 + 1 + 1 + 501);
});

test('of ten thousand each name is looked at a few times, however many there are', () => {
	let looks = 0;
	const many = Array.from({ length: 10000 }, (_, at) => ({ bytes: 1, get name() {
		looks++;
		return `part-${at % 100}/file-${at}.txt`;
	} }));
	assert.equal(rowsOf(treeOf(many), () => true).length, 10100);
	assert.deepEqual(matching(many, ' FILE-999.').map(({ name }) => name), ['part-99/file-999.txt']);
	assert.ok(looks <= 4 * many.length, `${looks} looks`);
});

test('what a file is shown as', () => {
	const kind = (path, bytes = 10, content_type = 'application/octet-stream') => kindOf({ name: path, bytes, content_type });
	assert.deepEqual(['a.HTML', 'a.svg', 'b.json', 'c.tsv', 'd.yaml', 'noend', 'e.js'].map((path) => kind(path)),
		['frame', 'frame', 'json', 'table', 'text', 'text', 'text']);
	assert.deepEqual([kind('a.png', 10, 'image/png'), kind('a.wav', 10, 'audio/wav'), kind('a.mp4', 1e12, 'video/mp4'), kind('a.tif', 10, 'image/tiff')],
		['image', 'audio', 'video', 'text']);
	assert.deepEqual([kind('a.png', (64 << 20) + 1, 'image/png'), kind('a.json', 8 << 20), kind('a.json', (8 << 20) + 1), kind('a.html', 1e9), kind('a.csv', 1e12)],
		['large', 'json', 'text', 'text', 'table']);
});

test('text is told from what is none by how it begins', () => {
	const bytes = (text) => new TextEncoder().encode(text);
	assert.equal(isBinary(bytes('日本語 ü 🧪')), false);
	assert.equal(isBinary(bytes('')), false);
	assert.equal(isBinary(bytes('a\u0000b')), true);
	assert.equal(isBinary(new Uint8Array([0xff, 0xfe, 0x41])), true);
	assert.equal(isBinary(bytes(`${'x'.repeat(8191)}ü`)), false, 'a letter that is cut is no fault');
});

function rows(separator, ...pieces) {
	const reader = new DelimitedReader(separator);
	for (const piece of pieces) reader.push(piece);
	reader.end();
	return reader.rows;
}

test('rows of CSV, wherever it is cut', () => {
	const text = 'a,b,c\r\n1,"x, ""y""\nz",\n,"",\n\nlast,"open';
	const wanted = [['a', 'b', 'c'], ['1', 'x, "y"\nz', ''], ['', '', ''], ['last', 'open']];
	assert.deepEqual(rows(',', text), wanted);
	for (let at = 0; at <= text.length; at++) assert.deepEqual(rows(',', text.slice(0, at), text.slice(at)), wanted, `cut at ${at}`);
	assert.deepEqual(rows(',', ...text), wanted);
	assert.deepEqual(rows('\t', 'a\tb,c\n1\t2'), [['a', 'b,c'], ['1', '2']]);
	assert.deepEqual(rows(',', ''), []);
	assert.deepEqual(rows(',', 'a"b,c'), [['a"b', 'c']]);
	assert.deepEqual(rows(',', 'a\rb'), [['a'], ['b']]);
	assert.equal(rows(',', 'x'.repeat(20000))[0][0].length, 10000);
});

test('lines, wherever they are cut', () => {
	const text = 'a\r\n\r\nb\rc\n\nd';
	const wanted = ['a', '', 'b', 'c', '', 'd'];
	for (let at = 0; at <= text.length; at++) {
		const { lines, push } = lineReader();
		for (const piece of [text.slice(0, at), '', text.slice(at)]) push(piece);
		assert.deepEqual(lines, wanted, `cut at ${at}`);
	}
});

test('parts that are asked for at once come one after another, each of them once', async () => {
	const whole = 'x'.repeat(PART_BYTES) + 'y'.repeat(5);
	globalThis.fetch = async (_, { headers }) => {
		const [from, to] = headers.Range.match(/\d+/g).map(Number);
		return new Response(whole.slice(from, to + 1), { status: 206, headers: { ETag: '"1"' } });
	};
	const parts = new FileParts('runs/r/files/a', whole.length);
	const texts = (await Promise.all([parts.next(), parts.next(), parts.next()])).map(({ text }) => text);
	assert.deepEqual(texts.map(({ length }) => length), [PART_BYTES, 5, 0]);
	assert.equal(texts.join(''), whole);
});
