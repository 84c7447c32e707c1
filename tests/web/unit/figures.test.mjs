import assert from 'node:assert/strict';
import { test } from 'node:test';

const { figuresOf } = await import('../../../web-static/js/pages/server.js');

test('samples of a name are added up, comments are none', () => {
	const figures = figuresOf('# HELP cairn_a Words 7\n# TYPE cairn_a gauge\ncairn_a 3\n'
		+ 'cairn_b{of="x y"} 1.5\ncairn_b{of="}"} 2\ncairn_b{of="z"} 1e3\n\n');
	assert.deepEqual([...figures], [['cairn_a', 3], ['cairn_b', 1003.5]]);
});
