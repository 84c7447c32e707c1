/* Lines of one hue are told apart by their dashes wherever they have a sign beside their name. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeShapes, makeWindow } from './browser.mjs';

makeWindow();
makeShapes();
document.documentElement = { dataset: {} };
globalThis.devicePixelRatio = 2;
globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => name });
const { fillTip } = await import('../../../web-static/js/chart/line/line_tip.js');
const { replace } = await import('../../../web-static/js/base/dom.js');
const { NumberPanel } = await import('../../../web-static/js/chart/kinds/number_panel.js');
const { plotOptions } = await import('../../../web-static/js/chart/line/plot_options.js');
const { writeLegend } = await import('../../../web-static/js/chart/panel/panel_export.js');
const { legendNodes } = await import('../../../web-static/js/chart/line/panel_svg.js');

const LOOKS = ['stroke', 'stroke dash', 'stroke dot'];
const runs = [0, 8, 16].map((slot) => ({ id: `r${slot}`, name: `R${slot}`, slot }));

function place() {
	const node = document.createElement('div');
	node.replaceChildren = () => { node.children = []; };
	node.classList = { toggle: () => {} };
	return node;
}

function lineOf(run, mean, x = mean.map((_, at) => at)) {
	const zero = mean.map(() => 0);
	return { ...run, who: run.id, mean, min: mean, max: mean, x, n: mean.map(() => 1), nan: zero, pinf: zero, ninf: zero };
}

const looksIn = (node) => node.all('i').map((one) => one.at.class);

test('under the cursor, and beside numbers', () => {
	const tip = place();
	const ones = runs.map((run) => ({ line: lineOf(run, [1]), raw: [1], smooth: [1] }));
	const showTip = (...parts) => replace(tip, ...parts);
	fillTip({ ones, tip, showTip, data: { x: '_step' }, plot: { data: [[0]], cursor: { left: 0 } }, events: [], nearest: null }, 0);
	assert.deepEqual(looksIn(tip), LOOKS);
	const node = place();
	const values = runs.map((run) => ({ key: 'a', run, value: 1, x: 0 }));
	NumberPanel.prototype.fill.call({ page: { runs }, keys: ['a'], data: { values }, nameOf: ({ run }) => run.name }, node);
	assert.deepEqual(looksIn(node), LOOKS);
});

test('at the right edge stands nothing that would be cut', () => {
	const { axes: [x] } = plotOptions({ width: 300, height: 100, shape: { x: '_step', y: 'linear' }, ones: [], panel: {} });
	const u = { width: 300, bbox: { left: 50 * devicePixelRatio }, valToPos: (mark) => mark };
	assert.deepEqual(x.values(u, [0, 100, 230, 249]), ['0', '100', '230', '']);
	assert.deepEqual(x.values(u, [-12, 0]), ['', '0'], 'nor at the left');
	assert.deepEqual(x.values({ ...u, width: 314 }, [0, 100, 230, 249]), ['0', '100', '230', '249'], 'where there is room for it');
});

test('in pictures', () => {
	const lines = legendNodes(runs.map((line) => ({ line })), 0).flatMap((node) => node.all('line'));
	assert.deepEqual(lines.map(({ at }) => at['stroke-dasharray']), [undefined, '7 4', '2 3']);
	const dashes = [];
	let dash = [];
	const ctx = {
		setLineDash: (now) => { dash = now; }, stroke: () => dashes.push(dash), beginPath() {}, moveTo() {}, lineTo() {}, fillText() {},
	};
	writeLegend(ctx, runs, 300, 0);
	assert.deepEqual([dashes, dash], [[[], [7, 4], [2, 3]], []]);
});
