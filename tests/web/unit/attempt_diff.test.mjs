import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toRestore } from '../../../web-static/js/run/attempt_dialog.js';

const names = (document, earlier) => toRestore(document, earlier).map(([before, key]) => before + key);

test('values that differ or are missing are restored, and no others', () => {
	assert.deepEqual(names({ a: 1, b: { c: 1, d: 2 }, e: [1], mine: 5 }, { a: 1, b: { c: 1, d: 3 }, e: [1, 2], f: 'x' }), ['b.d', 'e', 'f']);
	assert.deepEqual(names({ b: 1 }, { b: { c: 1 } }), ['b.c'], 'an object in the place of a number');
	assert.deepEqual(names({ b: { c: 1 } }, { b: 1 }), ['b'], 'and the other way around');
	assert.deepEqual(names({ 'a.b': 1 }, { a: { b: 1 } }), ['a.b'], 'a key with a dot is another one');
});

test('nulls and what an SDK keeps for itself are not counted', () => {
	assert.deepEqual(names({}, { a: null, _wandb: { v: 1 } }), []);
});
