/* What clicks do in a panel of lines. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { lineHand } = await import('../../../web-static/js/chart/line/line_hand.js');

test('two clicks that reset the zoom select nothing, one does', (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const picked = [];
	const zooms = [];
	const panel = {
		ones: [{ line: { who: 'r' } }], nearest: 1, look: { zoom: [1, 2] }, yZoom: null, page: { pick: (run) => picked.push(run) },
		zoomTo(zoom) {
			zooms.push(zoom);
			panel.look.zoom = zoom;
		},
	};
	const hand = lineHand(panel, {});
	hand.click({ detail: 1 });
	t.mock.timers.tick(100);
	hand.click({ detail: 2 });
	hand.reset();
	t.mock.timers.tick(1000);
	assert.deepEqual([picked, zooms], [[], [null]]);
	hand.click({ detail: 1 });
	assert.deepEqual(picked, ['r'], 'at once where nothing is zoomed');
	panel.look.zoom = [1, 2];
	hand.click({ detail: 1 });
	t.mock.timers.tick(1000);
	assert.deepEqual(picked, ['r', 'r']);
});
