/* What define_metric() of the wandb SDK says of keys: along what their panels lie, and which have none by themselves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keyDefinitions } from '../../../web-static/js/chart/data/key_definitions.js';
import { lazyDefinitions } from '../../../web-static/js/chart/data/chart_keys.js';
import { EMPTY } from '../../../web-static/js/chart/panel/layout.js';
import { lookOf, lookOfPanel } from '../../../web-static/js/chart/panel/look.js';

/* As wandb 0.31 sends them, with the pattern; and older ones, with a name for each key that was logged. */
const PATTERN = [{ 1: 'epoch', 6: [3], 7: [] }, { 2: 'val/*', 5: 1, 6: [1], 7: [2] }];
const NAMES = [{ 1: 'val/acc', 5: 3, 6: [1], 7: [2] }, { 1: 'val/loss', 5: 3, 6: [1] }, { 1: 'epoch', 6: [3] }];
const KEYS = ['epoch', 'loss', 'val/acc', 'val/loss'];

const xs = (lists, keys = KEYS, all = KEYS) => {
	const { xOf } = keyDefinitions(lists);
	return keys.map((key) => xOf([key].flat(), all));
};

test('a step metric is found by a name and by a pattern', () => {
	const along = [undefined, undefined, 'epoch', 'epoch'];
	assert.deepEqual(xs([PATTERN]), along);
	assert.deepEqual(xs([NAMES]), along);
	assert.deepEqual(xs([[{ 2: 'val/*', 4: 'epoch' }]]), along, 'that is named');
});

test('a name goes before a pattern, a longer pattern before a shorter one, the later before the one like it', () => {
	const list = [{ 2: '*', 4: 'global' }, { 2: 'val/*', 4: 'first' }, { 2: 'val/*', 4: 'epoch' }, { 1: 'val/acc', 4: 'batch' },
		{ 1: 'val/loss', 7: [1] }];
	const all = [...KEYS, 'global', 'batch', 'first', '_runtime'];
	assert.deepEqual(xs([list], [...KEYS, 'global', '_runtime'], all),
		['global', 'global', 'batch', 'epoch', undefined, undefined], 'neither along itself nor of what the SDK logs of itself');
});

test('nothing is said where keys of a panel do not agree, or nobody has sent the step metric', () => {
	assert.deepEqual(xs([PATTERN], [['val/acc', 'val/loss'], ['val/acc', 'loss'], ['val/acc', 'epoch'], []]),
		['epoch', undefined, undefined, undefined]);
	assert.deepEqual(xs([PATTERN], ['val/acc'], ['val/acc']), [undefined]);
	assert.deepEqual(xs([[{ 1: 'val/acc', 4: '_timestamp' }]], ['val/acc'], ['val/acc']), ['_timestamp']);
	const { xOf } = keyDefinitions([PATTERN]);
	assert.deepEqual([xOf(['val/acc'], ['val/acc']), xOf(['val/acc'], KEYS)], [undefined, 'epoch'], 'until it is');
});

test('the first run that defines a key says it', () => {
	assert.deepEqual(xs([[{ 1: 'loss', 7: [1] }], [{ 1: 'loss', 4: 'epoch' }], [{ 2: '*', 4: 'loss' }]]),
		['loss', 'epoch', 'loss', 'loss']);
});

test('what is hidden has a panel where somebody made one', () => {
	const list = [{ 2: 'val/*', 6: [2] }, { 1: 'val/loss', 6: [3] }, { 1: 'loss', 6: [2, 3] }];
	const { shown, hasSteps } = keyDefinitions([list]);
	assert.deepEqual([shown(KEYS, EMPTY), hasSteps], [['epoch', 'val/loss'], false]);
	assert.deepEqual(shown(KEYS, { ...EMPTY, panels: { loss: { y: 'log' } } }), ['epoch', 'loss', 'val/loss']);
	assert.deepEqual(shown(KEYS, { ...EMPTY, sections: { '^': { panels: ['val/acc'] } } }), ['epoch', 'val/acc', 'val/loss']);
});

test('whatever stands there instead says nothing', () => {
	const odd = [null, 7, 'x', [], {}, { 1: 7, 4: 'epoch' }, { 2: 'val/' }, { 1: 'loss', 4: 7, 5: 99 }, { 1: 'val/acc', 5: -1 },
		{ 1: 'val/loss', 5: {}, 6: {} }, { 2: '*', 5: 1 }, { 1: '__proto__', 4: 'epoch' }];
	for (const list of [odd, {}, 'text', 7]) {
		assert.deepEqual(xs([list]), KEYS.map(() => undefined));
		assert.deepEqual(keyDefinitions([list]).shown(KEYS, EMPTY), KEYS);
	}
	const none = keyDefinitions([]);
	assert.deepEqual([none.hasSteps, none.xOf(KEYS, KEYS), none.shown(KEYS, EMPTY)], [false, undefined, KEYS]);
});

test('what a panel or the address says goes before it', () => {
	const along = (query, spec) => lookOfPanel(lookOf(new URLSearchParams(query)), spec, null, 'epoch').x;
	assert.deepEqual([along('', {}), along('x=step', {}), along('x=rel', {}), along('', { x: 'step' }), along('', { x: 'lr' })],
		['epoch', '_step', '_relative', '_step', 'lr']);
	assert.equal(lookOfPanel(lookOf(new URLSearchParams('zoom=1..5')), {}, null, 'epoch').zoom, null, 'a zoom is one of steps');
});

test('other definitions are told, and none where there are none', async () => {
	const told = [];
	const set = lazyDefinitions((found) => told.push(found.xOf(['val/acc'], KEYS)));
	await set([undefined, {}, { _wandb: { m: [] } }]);
	assert.deepEqual(told, []);
	await set([{ lr: 1, _wandb: { m: PATTERN } }]);
	await set([{ lr: 2, _wandb: { m: PATTERN } }]);
	assert.deepEqual(told, ['epoch']);
	await set([{}]);
	assert.deepEqual(told, ['epoch', undefined]);
});
