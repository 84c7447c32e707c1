import assert from 'node:assert/strict';
import test from 'node:test';

import { boxesOf, classNames, colorOf, hasLayers, layersOf, paintMask, rectOf } from '../../../web-static/js/tables/image_layers.js';

const rect = (x, y, width, height) => ({ x, y, width, height });

test('boxes are within the value, as artifacts have them, or in a file, as runs have them', () => {
	const inner = [{ position: { minX: 0, maxX: 1, minY: 0, maxY: 1 } }];
	const value = { boxes: { a: inner, b: { _type: 'boxes2D', path: 'b.json' }, c: { box_data: inner, class_labels: { 1: 'x' } }, d: null, e: {} },
		masks: { m: { _type: 'mask', path: 'm.png' }, n: {} } };
	assert.deepEqual(layersOf(value), [
		{ kind: 'boxes', name: 'a', path: null, data: { box_data: inner } }, { kind: 'boxes', name: 'b', path: 'b.json', data: null },
		{ kind: 'boxes', name: 'c', path: null, data: value.boxes.c }, { kind: 'mask', name: 'm', path: 'm.png', data: null }]);
	assert.deepEqual([hasLayers(value), hasLayers({}), hasLayers(null), hasLayers({ boxes: 'a' })], [true, false, false, false]);
});

test('a box is in pixels or in shares of the image, by its corners or by its middle', () => {
	assert.deepEqual(rectOf({ position: { minX: 0.25, maxX: 0.75, minY: 0, maxY: 1 } }, [40, 20]), rect(10, 0, 20, 20));
	assert.deepEqual(rectOf({ position: { minX: 30, maxX: 10, minY: 2, maxY: 4 }, domain: 'pixel' }, [40, 20]), rect(10, 2, 20, 2));
	assert.deepEqual(rectOf({ position: { middle: [0.5, 0.5], width: 0.5, height: 1 } }, [40, 20]), rect(10, 0, 20, 20));
	assert.deepEqual(rectOf({ position: { middle: [5, 6], width: 4, height: 2 }, domain: 'pixel' }, [40, 20]), rect(3, 5, 4, 2));
	for (const position of [undefined, {}, { minX: 1, maxX: 2, minY: 3 }, { middle: 5, width: 1, height: 1 }, { middle: ['a', 1], width: 1, height: 1 }])
		assert.equal(rectOf({ position }, [40, 20]), null);
});

test('boxes have their class, caption and scores; what is no box is left out', () => {
	const whole = { position: { minX: 0, maxX: 1, minY: 0, maxY: 1 } };
	const boxes = boxesOf({ box_data: [{ ...whole, class_id: 2, box_caption: 'cat', scores: { acc: 0.5, bad: 'x' } }, whole, {}, null, 3] }, [4, 2]);
	assert.deepEqual(boxes, [{ rect: rect(0, 0, 4, 2), id: 2, caption: 'cat', scores: [['acc', 0.5]] }, { rect: rect(0, 0, 4, 2), id: null, caption: '', scores: [] }]);
	assert.deepEqual([boxesOf(null, [1, 1]), boxesOf({ box_data: 'x' }, [1, 1])], [[], []]);
});

test('classes are called as the type of the column says, a layer before all', () => {
	const set = (val) => ({ wb_type: 'const', params: { val } });
	const type = { wb_type: 'union', params: { allowed_types: [{ wb_type: 'none' }, { wb_type: 'image-file', params: {
		class_map: set({ 0: 'sky', 1: 'road' }), box_class_maps: set({ guess: { 1: 'car' } }), mask_class_maps: set({}) } }] } };
	assert.deepEqual(classNames(type, { kind: 'boxes', name: 'guess' }), { 0: 'sky', 1: 'car' });
	assert.deepEqual(classNames(type, { kind: 'mask', name: 'guess' }), { 0: 'sky', 1: 'road' });
	assert.deepEqual(classNames(null, { kind: 'mask', name: 'guess' }), {});
	assert.deepEqual([0, 7, 8, -9, null, 'x'].map((id) => colorOf(id, 8)), [1, 8, 1, 2, 1, 1]);
});

test('a mask is coloured by its classes, those without a colour are clear', () => {
	const pixels = Uint8ClampedArray.from([0, 0, 0, 255, 3, 3, 3, 255]);
	assert.deepEqual(paintMask(pixels, (id) => id ? [1, 2, 3] : null, 100), [0, 3]);
	assert.deepEqual([...pixels], [0, 0, 0, 0, 1, 2, 3, 100]);
});
