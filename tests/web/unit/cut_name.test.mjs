import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { partsOf } = await import('../../../web-static/js/ui/cut_name.js');

test('a long name has an end that stays; what is short, or joined letters, is one piece', () => {
	assert.deepEqual(partsOf('vit_small-adam-lr0.0001'), ['vit_small-adam', '-lr0.0001']);
	for (const name of ['', 'llama-1b', 'eighteen letters..', 'a long name with 👩‍🚀 in it', 'תרגול ארוך מאוד של מודל'])
		assert.equal(partsOf(name), null);
});
