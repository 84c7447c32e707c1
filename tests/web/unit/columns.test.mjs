import assert from 'node:assert/strict';
import test from 'node:test';

import { columnWidth, defaultColumns, withKinds } from '../../../web-static/js/runs/columns.js';

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
