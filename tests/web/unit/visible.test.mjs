import assert from 'node:assert/strict';
import { test } from 'node:test';

import { visible, visibleName } from '../../../web-static/js/base/visible.js';

test('characters that are not shown or turn text around are escapes', () => {
	assert.equal(visible('\u202egnp.exe\u202c \u2066a\u2069 \u200e\u200f\u061c\u2028'), '\\u202egnp.exe\\u202c \\u2066a\\u2069 \\u200e\\u200f\\u061c\\u2028');
	assert.equal(visible('\u0000\u0007\u001b\u007f\u0085'), '\\u0000\\u0007\\u001b\\u007f\\u0085');
});

test('other text is as it is', () => {
	const plain = 'a\tb\nc\r\n größe 日本 א\u05b9 👨\u200d👩\u200d👧 \u00a0\u200b';
	assert.equal(visible(plain), plain);
	assert.equal(visibleName('a\tb\nc'), 'a\\u0009b\\u000ac');
});
