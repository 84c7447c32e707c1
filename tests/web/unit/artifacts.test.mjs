import assert from 'node:assert/strict';
import { test } from 'node:test';

import { changesOf, daysOf, linesOf, mergedChanges, secondsOf } from '../../../web-static/js/artifacts/edits.js';
import { Folders, foldersOf } from '../../../web-static/js/artifacts/folders.js';
import { metadataDiff, neighbourVersion } from '../../../web-static/js/artifacts/metadata_diff.js';
import { logLines, useLines } from '../../../web-static/js/artifacts/snippets.js';

const WORDS = { loading: 'loading', more: 'more', failed: ({ status }) => `failed ${status}` };

/* As the server lists files: below a prefix, folders as one, so many a page. */
function server(paths, limit = 1000) {
	const asked = [];

	function list(prefix, isFlat) {
		const found = new Map();
		for (const path of paths.filter((one) => one.startsWith(prefix))) {
			const rest = path.slice(prefix.length);
			const cut = isFlat ? -1 : rest.indexOf('/');
			const name = cut < 0 ? path : prefix + rest.slice(0, cut + 1);
			const before = found.get(name) ?? { path: name, kind: cut < 0 ? 'file' : 'folder', files: 0, bytes: 0 };
			found.set(name, { ...before, files: before.files + 1, bytes: before.bytes + 1 });
		}
		return [...found.values()];
	}

	async function read(prefix, cursor, isFlat) {
		asked.push(prefix);
		const from = Number(cursor || 0);
		const all = list(prefix, isFlat);
		return { status: 200, body: { items: all.slice(from, from + limit), next_cursor: from + limit < all.length ? String(from + limit) : null } };
	}

	return { read, asked };
}

const shown = (folders) => folders.rows(WORDS).map(({ depth, item, isOpen }) => `${'-'.repeat(depth)}${item.name}${isOpen === false ? '/' : ''}`);

test('a folder a request, when it is opened, and once', async () => {
	const { read, asked } = server(['a/b/1', 'a/b/2', 'a/c', 'd']);
	const folders = new Folders(read, () => {});
	await folders.openTo('');
	assert.deepEqual([shown(folders), asked], [['a/', 'd'], ['']]);
	await folders.flip('a/', true);
	assert.deepEqual(shown(folders), ['a', '-b/', '-c', 'd']);
	await folders.flip('a/', false);
	await folders.flip('a/', true);
	assert.deepEqual(asked, ['', 'a/']);
	await folders.openTo('a/b/2');
	assert.deepEqual([shown(folders), asked], [['a', '-b', '--1', '--2', '-c', 'd'], ['', 'a/', 'a/b/']]);
	assert.deepEqual(foldersOf('a/b/2'), ['a/', 'a/b/']);
	assert.equal(folders.find('a/b/2').path, 'a/b/2');
	assert.equal(folders.find('a/b/3'), undefined);
});

test('a folder with more files than an answer has is read on where its last row says so', async () => {
	const { read, asked } = server(Array.from({ length: 25 }, (_, at) => `a/${at}`), 10);
	const folders = new Folders(read, () => {});
	await folders.openTo('a/0');
	assert.deepEqual([shown(folders).length, shown(folders).at(-1)], [12, '-more']);
	const both = [folders.act(folders.rows(WORDS).at(-1)), folders.act(folders.rows(WORDS).at(-1))];
	assert.equal(shown(folders).at(-1), '-loading');
	await Promise.all(both);
	await folders.act(folders.rows(WORDS).at(-1));
	assert.deepEqual([shown(folders).length, shown(folders).at(-1)], [26, '-24']);
	assert.equal(asked.length, 4, 'what is being read is not asked for again');
});

test('what failed says so, and is read again', async () => {
	const { read } = server(['a/1']);
	let isAway = true;
	const folders = new Folders((...args) => isAway ? Promise.resolve({ status: 503 }) : read(...args), () => {});
	await folders.openTo('');
	assert.deepEqual(shown(folders), ['failed 503']);
	isAway = false;
	await folders.act(folders.rows(WORDS)[0]);
	assert.deepEqual(shown(folders), ['a/']);
});

test('paths that begin with a text are a flat list, and the tree comes back as it was', async () => {
	const { read } = server(['a/b/1', 'a/b/2', 'a/c', 'd']);
	const folders = new Folders(read, () => {});
	await folders.openTo('a/c');
	await folders.seek('a/b');
	assert.deepEqual(shown(folders), ['a/b/1', 'a/b/2']);
	await folders.seek('x');
	assert.deepEqual([shown(folders), folders.isEmpty], [[], true]);
	await folders.seek('');
	assert.deepEqual([shown(folders), folders.isEmpty], [['a', '-b/', '-c', 'd'], false]);
});

test('what is typed of a version', () => {
	assert.deepEqual(linesOf(' a \n\nb\na\n'), ['a', 'b']);
	assert.deepEqual([null, 0, 86400, 129600].map(daysOf), ['', '0', '1', '1.5']);
	assert.deepEqual(['', ' ', '0', '1.5', '30'].map(secondsOf), [null, null, 0, 129600, 2592000]);
	assert.ok(['x', '-1', '1e3', '1,5'].every((typed) => Number.isNaN(secondsOf(typed))));
	assert.deepEqual(changesOf({ tags: ['a'], ttl_s: null, description: null }, { tags: ['a'], ttl_s: 0, description: 'x' }),
		{ ttl_s: 0, description: 'x' });
});

test('lines to use a version hold what a shell, Python and an address make of names', () => {
	const place = { entity: 'ann', project: "it's", type: 'mo"del', collection: 'a b$(x)', version: 'v1' };
	const lines = useLines(place, { base: 'http://cairn.test:1/x', key: 'K' });
	assert.deepEqual(Object.keys(lines), ['sdk', 'api', 'command', 'curl']);
	assert.match(lines.sdk, /^export WANDB_BASE_URL=http:\/\/cairn\.test:1\/x WANDB_API_KEY=K\n/);
	assert.match(lines.sdk, /use_artifact\("ann\/it's\/a b\$\(x\):v1", type="mo\\"del"\)/);
	assert.match(lines.api, /Api\(\)\.artifact\("ann\/it's\/a b\$\(x\):v1"\)/);
	assert.match(lines.command, /get 'ann\/it'\\''s\/a b\$\(x\):v1' '\.\/a b\$\(x\)'$/);
	assert.match(lines.curl, /'http:\/\/cairn\.test:1\/x\/api\/v1\/projects\/ann\/it'\\''s\/artifacts\/a%20b%24\(x\)\/versions\/v1\/files\.tar'$/);
});

test('lines that log the first one', () => {
	const lines = logLines({ entity: 'ann', project: 'digits', base: 'http://cairn.test', key: 'K' });
	assert.deepEqual(Object.keys(lines), ['wandb', 'command', 'curl']);
	assert.match(lines.command, /^cairn artifact put hello\.txt --project ann\/digits --type dataset --name first$/m);
	assert.deepEqual(Object.keys(logLines({ entity: 'ann', project: 'it\'s', base: 'http://cairn.test', key: 'K' })), ['wandb', 'curl']);
});

test('what differs in metadata', () => {
	const differences = metadataDiff({ a: 1, b: { c: [1], d: 'x' }, 'e.f': 1 }, { a: 2, b: { c: [1] }, e: { f: 1 } });
	assert.deepEqual(differences.map(({ name, change, before, after }) => [name, change, before, after]), [
		['a', 'changed', 1, 2], ['b.c', 'same', [1], [1]], ['b.d', 'removed', 'x', undefined], ['e.f', 'removed', 1, undefined], ['e.f', 'added', undefined, 1]]);
	assert.deepEqual(metadataDiff({}, {}), []);
});

test('a version is compared with the one before it at first', () => {
	const versions = ['v10', 'v9', 'v2'].map((version) => ({ version }));
	assert.deepEqual(['v10', 'v9', 'v2'].map((version) => neighbourVersion(versions, { version }).version), ['v9', 'v2', 'v9']);
	assert.equal(neighbourVersion([{ version: 'v0' }], { version: 'v0' }), null);
});

test('an edit keeps the tags that others gave, and says what they changed as well', () => {
	const before = { tags: ['a', 'b'], description: 'x', ttl_s: null };
	const wanted = { tags: ['b', 'c'], description: 'mine', ttl_s: null };
	const merged = (now) => mergedChanges(before, wanted, { ...before, ...now });
	assert.deepEqual(merged({}), { changes: { tags: ['b', 'c'], description: 'mine' }, taken: [] });
	assert.deepEqual(merged({ tags: ['a', 'approved'] }).changes.tags, ['approved', 'c']);
	assert.deepEqual(merged({ description: 'theirs', ttl_s: 60 }), { changes: { tags: ['b', 'c'], description: 'mine' }, taken: ['description'] });
	assert.deepEqual(merged({ description: 'mine' }).taken, []);
});
