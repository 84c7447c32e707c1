import assert from 'node:assert/strict';
import test from 'node:test';

import { meanForms, number, shorterForms, written } from '../../../web-static/js/base/format.js';
import { cellForms, cellText, columnWidth, defaultColumns, pinnedFirst, withKinds } from '../../../web-static/js/list/model/columns.js';
import { shared } from '../../../web-static/js/list/name_room.js';
import { columnNames, groupName } from '../../../web-static/js/list/model/names.js';

const known = (...keys) => ({ keys: () => ['name', 'state', ...keys], isNumber: (key) => !key.endsWith('arch') });
const chosen = (...keys) => defaultColumns(false, known(...keys)).map(({ key }) => key);

test('who has chosen no columns sees the loss and the learning rate, where there are any', () => {
	assert.deepEqual(chosen('summary.epoch', 'summary.train/loss', 'summary.eval/loss', 'config.arch', 'config.depth', 'config.optimizer.lr'),
		['summary.eval/loss', 'config.optimizer.lr']);
	assert.deepEqual(chosen('summary.epoch', 'summary.lr', 'summary.val_loss'), ['summary.val_loss']);
	assert.deepEqual(chosen('summary.epoch', 'summary.score'), ['summary.score']);
	assert.deepEqual(chosen('summary.epoch', 'summary.throughput', 'config.color', 'config.seed'), ['summary.throughput', 'config.color']);
	assert.deepEqual(chosen('summary.epoch', 'summary._step', 'config.arch'), ['summary.epoch']);
	assert.deepEqual(chosen(), []);
});

test('of groups a number has room for its deviation', () => {
	const width = (isGrouped, column) => columnWidth(withKinds([column], known(), { isGrouped, isChanged: false })[0]);
	const [plain, mean] = [false, true].map((isGrouped) => width(isGrouped, { key: 'summary.loss' }));
	assert.ok(mean > plain);
	assert.equal(width(true, { key: 'config.arch' }), plain);
	assert.equal(width(true, { key: 'summary.loss', width: 60 }), 60);
});

test('a number has room for its change beside it, a word needs none', () => {
	const width = (isChanged, column) => columnWidth(withKinds([column], known(), { isGrouped: false, isChanged })[0]);
	assert.ok(width(true, { key: 'summary.loss' }) > width(false, { key: 'summary.loss' }));
	assert.equal(width(true, { key: 'config.arch' }), width(false, { key: 'config.arch' }));
	assert.equal(width(true, { key: 'summary.loss', width: 60 }), 60);
});

test('pinned columns come first, each behind those before it', () => {
	const columns = [{ key: 'state' }, { key: 'user', pinned: true }, { key: 'config.lr', pinned: true, width: 60 }];
	assert.deepEqual(pinnedFirst(columns).map(({ key, at }) => [key, at]),
		[['user', 0], ['config.lr', columnWidth(columns[1])], ['state', undefined]]);
});

test('digits that a double does not hold are not made up', () => {
	const [seed, most] = [Number('9973436836789123457'), Number.MAX_SAFE_INTEGER];
	assert.deepEqual([seed, -seed, most, 1e300].map(written), ['≈9.973436836789123e18', '≈−9.973436836789123e18', '9007199254740991', '1e300']);
	assert.deepEqual([seed, 1e15, 1e300, -999_999_999].map(number), ['9.973e18', '1e15', '1e300', '−999,999,999']);
});

test('a number is said ever shorter, and never cut: a config as it is written first', () => {
	assert.deepEqual(cellForms('config.lr', 0.0044091123), ['0.0044091123', '0.004409', '0.00441', '4.409e−3', '4.41e−3', '4.4e−3', '4e−3']);
	assert.deepEqual(shorterForms(0.00000676), ['0.00000676', '0.00000676', '0.00000676', '6.76e−6', '6.76e−6', '6.8e−6', '7e−6']);
	assert.deepEqual(cellForms('summary.n', -1234567).slice(2, 4), ['−1,234,567', '−1.235e6']);
	assert.deepEqual([cellForms('duration', 61), cellForms('config.lr', 'NaN')], [['1 min 1 s'], ['NaN']]);
	const means = meanForms(0.12524, 0.0331);
	assert.deepEqual([means[0], means[1], means.at(-1)], [['0.1252', ' ± 0.033'], ['0.1252', ' ± 0.03'], ['1e−1', ' …']]);
	assert.deepEqual([null, 0, 6.1e-20].map((std) => meanForms(0.001, std)[0]), Array(3).fill(['0.001', '']), 'equal values have no deviation');
	assert.deepEqual([meanForms(0, 1e-12)[0], meanForms(1e6, 0.5)[0]], [['0', ' ± 1e−12'], ['1,000,000', ' ± 0.5']]);
});

test('columns that would be called alike are called by their whole keys', () => {
	assert.deepEqual([...columnNames(['config.lr', 'summary.lr', 'summary.loss', 'state'])],
		[['config.lr', 'config.lr'], ['summary.lr', 'summary.lr'], ['summary.loss', 'loss'], ['state', 'state']]);
});

test('lists of words are words', () => {
	assert.deepEqual([cellText('tags', ['a', 'b']), cellText('tags', '["a", "b"]'), cellText('tags', [])], ['a, b', 'a, b', '']);
	assert.deepEqual([groupName({ kind: 'list', value: '["a", "b"]' }), groupName({ kind: 'list', value: '[1, 2]' }),
		groupName({ kind: 'text', value: '["a"]' })], ['a, b', '[1, 2]', '["a"]']);
});

test('names take the room that numbers do not need, then that of the start', () => {
	const columns = [{ width: 74, least: 54 }, { width: 74, least: 64 }];
	const share = (need, room, age = 60) => shared(columns, { need, room, age });
	assert.deepEqual(share(150, 400), { widths: [74, 74], name: 192 }, 'what is left is theirs');
	assert.deepEqual(share(207, 400), { widths: [64, 69], name: 207 }, 'each column gives the same share of what it does not need');
	assert.deepEqual(share(222, 400), { widths: [54, 64], name: 222 });
	assert.deepEqual(share(223, 400), { widths: [74, 74], name: 252 }, 'the start is out of view');
	assert.deepEqual(share(260, 400), { widths: [68, 71], name: 261 });
	assert.deepEqual(share(260, 200), { widths: [54, 64], name: 150 }, 'never narrower than that');
	assert.deepEqual(shared([], { need: 200, room: 400, age: 0 }), { widths: [], name: 400 });
});
