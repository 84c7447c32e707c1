/* A panel of lines as SVG. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeShapes, makeWindow } from './browser.mjs';

makeWindow();
makeShapes();
document.documentElement = { dataset: {} };
globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => name });
const { svgOf } = await import('../../../web-static/js/chart/line/panel_svg.js');

const plot = {
	over: { clientWidth: 40, clientHeight: 50 }, axes: [], data: [[0, 1, 2, 3]],
	valToPos: (value, scale) => scale === 'x' ? 10 * value : 50 - value,
};

/* Its paths, but for that of the line itself. */
function marksOf({ nan = [0, 0, 0, 0], pinf = [0, 0, 0, 0], ninf = [0, 0, 0, 0] }) {
	const line = { id: 'r', name: 'R', slot: 0, nan, pinf, ninf };
	let made = null;
	globalThis.XMLSerializer = class {
		serializeToString(node) {
			made = node;
			return '';
		}
	};
	svgOf({ plot, ones: [{ line, smooth: [1, null, null, 2], dots: [], scale: 'y' }], bands: new Map(), name: 'loss' }, 9);
	const paths = made.all('path').map(({ at }) => at);
	assert.equal(paths[0].d, 'M0 49M30 48', 'the line');
	return paths.slice(1);
}

test('NaN and Inf are marks at the edges, in the colour of their line', () => {
	const [crosses, arrows, ...more] = marksOf({ nan: [0, 7, 0, 0], pinf: [0, 0, 2, 0], ninf: [1, 0, 0, 0] });
	assert.deepEqual([crosses.d, crosses.stroke, crosses.fill], ['M7 42L13 48M13 42L7 48', '--s1ff', 'none']);
	assert.deepEqual([arrows.d, arrows.fill], ['M17 8H23L20 2ZM-3 42H3L0 48Z', '--s1ff']);
	assert.deepEqual(more, []);
	assert.deepEqual(marksOf({}), []);
});
