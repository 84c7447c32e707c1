import assert from 'node:assert/strict';
import { test } from 'node:test';

import { paceOf, TALLEST } from '../../../web-static/js/ui/long_scroll.js';

test('the scroll bar reaches the first and the last row, whatever their number', () => {
	const room = 600;
	for (const whole of [100, TALLEST, TALLEST + 1, 28000000, 92000000]) {
		const last = Math.min(whole, TALLEST) - room;
		assert.ok(Math.abs(last * paceOf(whole, room) - (whole - room)) < 1e-6 * whole, String(whole));
	}
	assert.deepEqual([paceOf(TALLEST, room), paceOf(28, room)], [1, 1]);
});
