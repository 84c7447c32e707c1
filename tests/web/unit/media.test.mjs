/* Media as values of rows: what they have, at which steps, and what plots say. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { panelKeys } from '../../../web-static/js/chart/data/panel_keys.js';
import { plotOf } from '../../../web-static/js/chart/media/plot.js';
import { entryAt, inOrder, isWhole, ITEMS_MOST, itemsOf, layerPattern, maskNames, namesOf, placeOf, SIGNS, sizeOf, stepsOf, valueIn }
	from '../../../web-static/js/chart/media/values.js';
import { makeWindow } from './browser.mjs';

makeWindow();
const { retried } = await import('../../../web-static/js/chart/media/retry.js');

const keysOf = (name, ...members) => members.map((member) => ({ key: `${name}.${member}`, kinds: ['string'] }));

test('keys: media have a panel each, none of their boxes and masks has one, and tables stay tables', () => {
	const items = [...keysOf('a/image', '_type', 'path', 'sha256', 'size', 'width', 'boxes.guess._type', 'boxes.guess.path', 'boxes.guess.sha256'),
		...keysOf('list', '_type', 'filenames', 'count', 'format'), ...keysOf('pages', '_type', 'html', 'count'),
		...keysOf('in artifact', '_type', 'artifact_path', 'sha256'), ...keysOf('table', '_type', 'path', 'sha256', 'nrows', 'ncols'),
		...keysOf('joined', '_type', 'artifact_path'), ...keysOf('other', '_type', 'path'), ...keysOf('counted', '_type', 'count'),
		{ key: 'loss', kinds: ['number'] }];
	assert.deepEqual(panelKeys(items), { keys: ['loss', 'table', 'joined', 'a/image', 'list', 'pages', 'in artifact'],
		kinds: { table: 'table', joined: 'table', 'a/image': 'media', list: 'media', pages: 'media', 'in artifact': 'media' } });
});

test('a value of a row, with the boxes and masks under names of its own', () => {
	const row = { _row: 3, _step: 2, 'k._type': 'image-file', 'k.path': 'media/a.png', 'k.width': 40, 'k.boxes.a.b.path': 'b.json', 'k.caption': null,
		'k.masks.__proto__.path': 'm.png', 'k.boxes.in.box_data': [1], 'k.boxes.in.class_labels.7': 'dog', 'k.odd': 1, 'kk.path': 'other', 'k.boxes.a.b.size': 1 };
	const { boxes, masks, ...value } = valueIn(row, 'k');
	assert.deepEqual(value, { _type: 'image-file', path: 'media/a.png', width: 40 });
	assert.deepEqual({ ...boxes }, { 'a.b': { path: 'b.json' }, in: { box_data: [1], class_labels: Object.assign(Object.create(null), { 7: 'dog' }) } });
	assert.deepEqual([...Object.entries(masks)], [['__proto__', { path: 'm.png' }]]);
	assert.equal({}.path, undefined, 'no name reaches what all objects have');
	assert.equal(valueIn({ 'k.path': 'a' }, 'k'), null);
	assert.equal(valueIn({ 'k._type': 5 }, 'k'), null);
});

test('names of keys: those of layers, as many as an address has room for', () => {
	const names = namesOf('k', ['k.boxes.a.path', 'k.boxes.a.sha256', 'k.masks.b.path', 'k.other']);
	assert.ok(names.includes('k._type') && names.includes('k.filenames'));
	assert.deepEqual(names.filter((name) => /boxes\.|masks\./.test(name)), ['k.boxes.a.path', 'k.masks.b.path']);
	const many = Array.from({ length: 500 }, (_, at) => `k.boxes.${'x'.repeat(200)}${at}.path`);
	const text = namesOf('k', many).join();
	assert.ok(text.length <= 12000 && text.length > 11000);
	assert.equal(layerPattern('a/b.c(1)'), '/^a\\/b\\.c\\(1\\)\\.(boxes|masks)\\..+\\.(path|box_data|class_labels\\..+)$/');
});

test('lists of all kinds, and files in artifacts', () => {
	const images = { _type: 'images/separated', count: 3, width: 4, height: 2, filenames: ['a.png', 'b.png', 'wandb-client-artifact://x/c.png'],
		captions: ['one', null], all_boxes: [{ g: { path: 'g.json' } }, null], all_masks: false };
	const [one, two, three] = itemsOf(images);
	assert.deepEqual(one, { _type: 'image-file', path: 'a.png', width: 4, height: 2, caption: 'one', boxes: { g: { path: 'g.json' } }, masks: null });
	assert.equal(two.caption, undefined);
	assert.deepEqual([three.path, three.address], [null, 'wandb-client-artifact://x/c.png']);
	assert.deepEqual(itemsOf({ _type: 'html', count: 2, html: [{ _type: 'html-file', path: 'a.html' }, 5, null] }), [{ _type: 'html-file', path: 'a.html' }]);
	assert.deepEqual(itemsOf({ _type: 'videos', videos: [{ _type: 'video-file', path: 'a.mp4' }], captions: ['x'] }),
		[{ caption: 'x', _type: 'video-file', path: 'a.mp4' }]);
	assert.deepEqual(itemsOf({ _type: 'molecule', filenames: ['a.pdb'], captions: false }), [{ _type: 'molecule-file', path: 'a.pdb' }]);
	assert.deepEqual(itemsOf({ _type: 'image-file', artifact_path: 'wandb-artifact://y/a.png' }).map(({ path, address }) => [path, address]),
		[[null, 'wandb-artifact://y/a.png']]);
	assert.deepEqual(itemsOf({ _type: 'images/separated', filenames: 'odd' }), []);
	const many = { _type: 'images/separated', filenames: Array(ITEMS_MOST + 5).fill('a.png') };
	assert.deepEqual([itemsOf(many).length, sizeOf(many)], [ITEMS_MOST, ITEMS_MOST + 5]);
});

test('the latest value at or before a step', () => {
	const entries = inOrder([{ row: 5, step: 20 }, { row: 1, step: 0 }, { row: 3, step: 10 }, { row: 4, step: 10 }]);
	assert.deepEqual([null, 25, 20, 19, 10, 9, 0].map((step) => entryAt(entries, step).row), [5, 5, 5, 4, 4, 1, 1]);
	assert.equal(entryAt(entries, -1), null);
	assert.equal(entryAt([], null), null);
	const steps = stepsOf([entries, [{ step: 15 }]]);
	assert.deepEqual(steps, [0, 10, 15, 20]);
	assert.deepEqual([null, 30, 15, 14, -1].map((step) => placeOf(steps, step)), [3, 3, 2, 1, 0]);
});

test('a summary has all of a value, but for large lists', () => {
	const signs = (given) => SIGNS.map((name) => given[name] ?? null);
	assert.ok(isWhole(signs({ _type: 'image-file', path: 'a' })));
	assert.ok(isWhole(signs({ _type: 'images/separated', filenames: ['a'] })));
	assert.ok(!isWhole(signs({ _type: 'images/separated', filenames: 5000 })));
});

test('names of the classes of masks', () => {
	const labels = { 'k_wandb_delimeter_truth': { type: 'mask/class_labels', value: { 0: 'no', 1: 'yes' } }, 'kk_wandb_delimeter_truth': { value: { 1: 'other' } }, odd: 1 };
	assert.deepEqual(maskNames(labels, 'k'), { truth: { 0: 'no', 1: 'yes' } });
	assert.deepEqual(maskNames(null, 'k'), {});
});

test('plots: the title and the traces, also of bytes', () => {
	const bytes = { dtype: 'f8', bdata: 'AAAAAAAA8D8AAAAAAAAAQAAAAAAAAAhA' };
	const plot = { data: [{ type: 'bar', name: '<b>n</b>', x: [1, 2] }, { y: bytes }, { type: 'sankey' }, null], layout: { title: { text: 'A<br>b' } } };
	assert.deepEqual(plotOf(plot), { title: 'A b',
		traces: [{ kind: 'bar', name: 'n', points: 2 }, { kind: 'scatter', name: '', points: 3 }, { kind: 'sankey', name: '', points: null }] });
	assert.equal(plotOf({ data: [], layout: { title: 'old' } }).title, 'old');
	assert.deepEqual([plotOf([]), plotOf(null), plotOf({ data: 5 })], [null, null, null]);
});

test('what failed is tried again after a pause that grows, and not after its end', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	let made = 0;
	const tries = retried((failed) => {
		made++;
		failed();
		failed();
	});
	tries.start();
	assert.equal(made, 1);
	t.mock.timers.tick(4999);
	assert.equal(made, 1);
	t.mock.timers.tick(1);
	assert.equal(made, 2);
	t.mock.timers.tick(9999);
	assert.equal(made, 2);
	t.mock.timers.tick(1);
	assert.equal(made, 3);
	tries.stop();
	t.mock.timers.tick(100000);
	assert.equal(made, 3);
	tries.start();
	assert.equal(made, 4);
});

test('what is shown stays, until it is forgotten', () => {
	let made = 0;
	const tries = retried(() => { made++; });
	tries.start();
	tries.stop();
	tries.start();
	assert.equal(made, 1);
	tries.forget();
	tries.start();
	assert.equal(made, 2);
});
