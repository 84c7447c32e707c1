/*
 * The boxes and masks of an image, as the wandb SDK writes them: boxes within the value, or in a file that it names; a mask is a
 * grey image, whose values are the numbers of classes. Names of classes are in these, or in the type of the column. Pure.
 */

import { typesOf } from './table.js';

const isPlain = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const plain = (value) => isPlain(value) ? value : {};

/* [{kind: 'boxes' or 'mask', name, path: of its file, or null, data: boxes that are within the value}] */
export function layersOf(value) {
	const boxes = Object.entries(plain(value.boxes)).map(([name, layer]) => Array.isArray(layer)
		? { kind: 'boxes', name, path: null, data: { box_data: layer } }
		: { kind: 'boxes', name, path: plain(layer).path ?? null, data: Array.isArray(plain(layer).box_data) ? layer : null });
	const masks = Object.entries(plain(value.masks)).map(([name, layer]) => ({ kind: 'mask', name, path: plain(layer).path ?? null, data: null }));
	return [...boxes, ...masks].filter(({ path, data }) => data || typeof path === 'string');
}

export const hasLayers = (value) => isPlain(value) && layersOf(value).length > 0;

/* {x, y, width, height} in pixels of an image of this size; null for what is no box. */
export function rectOf({ position, domain }, [wide, high]) {
	const { minX, maxX, minY, maxY, middle, width, height } = plain(position);
	const [across, down] = domain === 'pixel' ? [1, 1] : [wide, high];
	if ([minX, maxX, minY, maxY].every(isNumber)) {
		return { x: Math.min(minX, maxX) * across, y: Math.min(minY, maxY) * down,
			width: Math.abs(maxX - minX) * across, height: Math.abs(maxY - minY) * down };
	}
	if (!Array.isArray(middle) || ![...middle, width, height].every(isNumber)) return null;
	return { x: (middle[0] - width / 2) * across, y: (middle[1] - height / 2) * down, width: Math.abs(width) * across, height: Math.abs(height) * down };
}

/* [{rect, id: of its class, caption, scores: [[name, number]]}] */
export function boxesOf(data, size) {
	const list = Array.isArray(data?.box_data) ? data.box_data.filter(isPlain) : [];
	return list.map((box) => ({ rect: rectOf(box, size), id: box.class_id ?? null, caption: typeof box.box_caption === 'string' ? box.box_caption : '',
		scores: Object.entries(plain(box.scores)).filter(([, score]) => isNumber(score)) })).filter(({ rect }) => rect);
}

const constOf = (param) => plain(param?.wb_type === 'const' ? param.params?.val : param);

/* Returns the names of classes by their numbers that the type of a column has for a layer. */
export function classNames(type, { kind, name }) {
	const params = plain(typesOf(type).find(({ wb_type: of }) => of === 'image-file' || of === 'wandb.Image')?.params);
	const ofLayers = constOf(kind === 'mask' ? params.mask_class_maps : params.box_class_maps);
	return { ...constOf(params.class_map), ...plain(ofLayers[name]) };
}

/* The number of the colour of a class, from 1 to `colors`. */
export const colorOf = (id, colors) => isNumber(id) ? (Math.abs(Math.trunc(id)) % colors) + 1 : 1;

/* Colours a mask in place: pixels as of a canvas; tone(class): [red, green, blue], null for none. Returns the classes that it has. */
export function paintMask(pixels, tone, alpha) {
	const seen = new Set();
	for (let at = 0; at < pixels.length; at += 4) {
		const id = pixels[at];
		seen.add(id);
		const color = tone(id);
		if (color) pixels.set(color, at);
		pixels[at + 3] = color ? alpha : 0;
	}
	return [...seen].sort((a, b) => a - b);
}
