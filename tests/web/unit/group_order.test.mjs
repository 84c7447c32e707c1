import assert from 'node:assert/strict';
import test from 'node:test';

const { isBySize, orderedGroups } = await import('../../../web-static/js/list/model/group_order.js');
const { GROUPS } = await import('../../../web-static/js/list/model/group_names.js');

const LOSS = 'summary.eval/loss';
const ARCH = 'config.arch';
const value = (one) => ({ count: 1, runs: 2, values: [{ value: one, count: 2 }] });
const group = (own, mean, arch) => ({ value: own, count: 2, stats: { [LOSS]: mean === null ? { count: 0 } : { count: 2, mean } },
	different: { [ARCH]: arch } });

/* As the server has them, those of most runs first. */
const FOUND = [
	group('sgd', 2.586, value('small')),
	group(null, null, { count: 2, runs: 2, values: [{ value: 'a', count: 1 }] }),
	group('lion', 2.406, value('large')),
	group('adamw', 2.414, { ...value('a'), runs: 1 }),
];
const order = (sort) => orderedGroups(FOUND, 'config.opt', sort).map((one) => one.value);

test('groups are in order of what their rows show, those that show nothing last', () => {
	assert.deepEqual(order([{ key: LOSS, down: false }]), ['lion', 'adamw', 'sgd', null]);
	assert.deepEqual(order([{ key: LOSS, down: true }]), ['sgd', 'adamw', 'lion', null]);
	assert.deepEqual(order([{ key: 'config.opt', down: false }]), ['adamw', 'lion', 'sgd', null]);
	assert.deepEqual(order([{ key: 'config.opt', down: true }]), ['sgd', 'lion', 'adamw', null]);
	assert.deepEqual(order([{ key: ARCH, down: false }]), ['lion', 'sgd', null, 'adamw'], 'what only some runs have is not shown');
	assert.deepEqual(order([{ key: ARCH, down: true }, { key: LOSS, down: false }]), ['sgd', 'lion', 'adamw', null]);
});

test('values of groups are compared as what they are', () => {
	const groups = [10, 'b', 9, null, 'B'].map((one) => ({ value: one, count: 1 }));
	const by = (down) => orderedGroups(groups, 'config.lr', [{ key: 'config.lr', down }]).map((one) => one.value);
	assert.deepEqual([by(false), by(true)], [[9, 10, 'B', 'b', null], ['b', 'B', 10, 9, null]]);
});

test('groups of which nothing is known there, or not all are, stay as they came', () => {
	const started = [{ key: 'created_at', down: true }];
	assert.equal(orderedGroups(FOUND, 'config.opt', started), FOUND);
	assert.deepEqual([isBySize(FOUND, 'config.opt', started), isBySize(FOUND, 'config.opt', [{ key: LOSS, down: true }])], [true, false]);
	const many = Array.from({ length: GROUPS }, (_, at) => ({ value: at % 7, count: 1 }));
	assert.equal(orderedGroups(many, 'a', [{ key: 'a', down: false }]), many);
	assert.equal(isBySize(many, 'a', [{ key: 'a', down: false }]), true);
});
