import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { partsOf, sharedStarts } = await import('../../../web-static/js/ui/cut_name.js');

test('a long name has an end that stays; what is short, or joined letters, is one piece', () => {
	assert.deepEqual(partsOf('vit_small-adam-lr0.0001'), ['', 'vit_small-adam', '-lr0.0001']);
	for (const name of ['', 'llama-1b', 'twelve lett.', 'a long name with 👩‍🚀 in it', 'תרגול ארוך מאוד של מודל'])
		assert.equal(partsOf(name), null);
});

test('where names begin alike the beginning is cut first, up to a separator', () => {
	const names = ['mlp-128x64-lr1e-2-s2', 'mlp-16x16-lr1e-2-s2', 'mlp-32-lr1e-3-s0', 'logreg wine', 'resnet50', 'resnet101'];
	const startOf = sharedStarts(names);
	assert.deepEqual(names.map(startOf), [4, 4, 4, 0, 0, 0]);
	assert.deepEqual(partsOf(names[0], startOf(names[0])), ['mlp-', '128x64-', 'lr1e-2-s2']);
	assert.deepEqual(partsOf('mlp-32-lr1e-2', sharedStarts(['mlp-32-lr1e-2', 'mlp-32-lr1e-3'])('mlp-32-lr1e-2')), ['mlp-32-lr1e-', '', '2']);
	assert.deepEqual(partsOf('adam-lr0.003', sharedStarts(['adam-lr0.003', 'adam-lr0.1'])('adam-lr0.003')), ['adam-lr0.', '', '003'], 'of short names, too');
	assert.equal(sharedStarts(['same-name', 'same-name'])('same-name'), 0, 'one name is alike to nobody');
});
