import assert from 'node:assert/strict';
import test from 'node:test';

const COLOURS = { '--heat-0': '#000000', '--heat-slow': '255 0 0', '--heat-fast': '0 0 255', '--heat-use': '0 255 0', '--surface': '#ffffff' };
let painted = null;

globalThis.document = { documentElement: null };
globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => COLOURS[name] });
globalThis.ImageData = class {
	constructor(width, height) {
		this.data = new Uint8ClampedArray(width * height * 4);
		Object.assign(this, { width, height });
	}
};
const { paintStrip, ratioTone, rowHeight, valueTone } = await import('../../../web-static/js/chart/kinds/heat_strip.js');
const { reachOf } = await import('../../../web-static/js/chart/data/ratio_scale.js');
const canvas = { getContext: () => ({ putImageData: (image) => { painted = image; } }) };

/* The middle line of a row as [red, green, blue, alpha] a column. */
function line(row, count) {
	const from = (row * rowHeight(count) + Math.floor(rowHeight(count) / 2)) * painted.width * 4;
	return Array.from({ length: painted.width }, (_, x) => [...painted.data.slice(from + x * 4, from + x * 4 + 4)]);
}

test('slower is warm, faster is cool, the same is blank, silence is clear', () => {
	const rows = [{ cells: Float64Array.from([2, 1, 0.1, NaN, 5]) }, { cells: new Float64Array(5).fill(1) }];
	paintStrip(canvas, rows, 5, ratioTone(Float64Array.from([1, 1, 1, 1, 0]), 0.5, 'high', 5));
	assert.deepEqual(line(0, 2), [[255, 0, 0, 255], [0, 0, 0, 255], [0, 0, 255, 255], [0, 0, 0, 0], [255, 0, 0, 255]]);
	paintStrip(canvas, rows, 5, ratioTone(Float64Array.from([1, 1, 1, 1, 0]), 0.5, 'low'));
	assert.deepEqual(line(0, 2).slice(0, 3), [[0, 0, 255, 255], [0, 0, 0, 255], [255, 0, 0, 255]]);
});

test('what stands out of rows that are 0 is seen', () => {
	const sheet = { rows: [Float64Array.of(0, 100), Float64Array.of(0, 0), Float64Array.of(NaN, -100)].map((cells) => ({ cells })), wide: 2, middle: Float64Array.of(0, 0) };
	assert.equal(reachOf(sheet), 100);
	assert.equal(reachOf({ ...sheet, middle: Float64Array.of(0, 1) }), 0);
	paintStrip(canvas, sheet.rows, 2, ratioTone(sheet.middle, 0.06, 'high', 100));
	assert.deepEqual([0, 1, 2].map((row) => line(row, 3)), [[[0, 0, 0, 255], [255, 0, 0, 255]], [[0, 0, 0, 255], [0, 0, 0, 255]],
		[[0, 0, 0, 0], [0, 0, 255, 255]]]);
});

test('values from the least to the greatest, and one value alone', () => {
	paintStrip(canvas, [{ cells: Float64Array.from([-1, 3]) }], 2, valueTone(-1, 3, 2));
	const [[, least], [, greatest]] = line(0, 1);
	assert.ok(least < 40 && greatest === 255);
	paintStrip(canvas, [{ cells: Float64Array.from([7, 7]) }], 2, valueTone(7, 7, 2));
	assert.equal(line(0, 1)[0][3], 255);
});

test('many rows are low, and all are painted', () => {
	assert.deepEqual([1, 40, 41, 300, 301, 4096].map(rowHeight), [11, 11, 3, 3, 1, 1]);
	const rows = Array.from({ length: 4096 }, () => ({ cells: new Float64Array(10).fill(1) }));
	paintStrip(canvas, rows, 10, ratioTone(new Float64Array(10).fill(1), 0.5, 'high'));
	assert.equal(painted.height, 4096);
	assert.ok(line(4095, 4096).every(([, , , alpha]) => alpha === 255));
});
