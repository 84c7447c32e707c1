/* An image with its boxes and masks over it. They are drawn in the image's own pixels, and are scaled with it. */

import { ask } from '../api.js';
import { css, el, replace, svg } from '../base/dom.js';
import { HUES } from '../base/slot.js';
import { text } from '../text/tables.js';
import { boxesOf, colorOf, layersOf, paintMask } from './image_layers.js';
import { hrefOf, nameOf } from './media_cell.js';

const words = text.tables;
const ALPHA = 140; /* of a mask, of 255 */
const KEPT = 200; /* files of boxes */

const files = new Map(); /* promises of what files of boxes hold, by their path */

/* Boxes that could not be read are read again when they are needed next. */
async function readFile(path) {
	const { status, body } = await ask('GET', path);
	if (status === 200) return body;
	files.delete(path);
	return null;
}

export function readBoxes(path) {
	if (!files.has(path)) {
		if (files.size >= KEPT) files.delete(files.keys().next().value);
		files.set(path, readFile(path));
	}
	return files.get(path);
}

function rgb(id) {
	const [, ...parts] = /^#(..)(..)(..)$/.exec(css(`--s${colorOf(id, HUES)}`)) ?? [];
	return parts.map((part) => parseInt(part, 16));
}

/* Class 0 is the background, and is not coloured. */
function tones() {
	const known = new Map([[0, null]]);
	return (id) => {
		if (!known.has(id)) known.set(id, rgb(id));
		return known.get(id);
	};
}

function boxNode({ rect, id, caption }) {
	return svg('rect', { ...rect, class: 'image-box', 'vector-effect': 'non-scaling-stroke', style: { stroke: `var(--s${colorOf(id, HUES)})` } },
		caption && svg('title', {}, caption));
}

function boxesNode(boxes, [wide, high]) {
	return svg('svg', { class: 'image-layer', viewBox: `0 0 ${wide} ${high}`, 'aria-hidden': 'true' }, boxes.map(boxNode));
}

async function loadImage(href) {
	const image = new Image();
	image.src = href;
	await image.decode();
	return image;
}

async function maskNode(href) {
	const image = await loadImage(href);
	const canvas = el('canvas', { class: 'image-layer mask', width: image.naturalWidth, height: image.naturalHeight, 'aria-hidden': 'true' });
	const context = canvas.getContext('2d', { willReadFrequently: true });
	context.drawImage(image, 0, 0);
	const mask = context.getImageData(0, 0, canvas.width, canvas.height);
	const tone = tones();

	function show(isShown) {
		const pixels = new ImageData(new Uint8ClampedArray(mask.data), mask.width, mask.height);
		const classes = paintMask(pixels.data, (id) => isShown(id) ? tone(id) : null, ALPHA);
		context.putImageData(pixels, 0, 0);
		return classes;
	}

	return { node: canvas, classes: show(() => true), show };
}

function boxesLayer(data, size) {
	const boxes = boxesOf(data, size);
	const node = boxesNode(boxes, size);

	function show(isShown) {
		boxes.forEach(({ id }, at) => node.children[at].classList.toggle('off', !isShown(id)));
	}

	return { node, boxes, labels: data?.class_labels ?? {}, show };
}

/*
 * {node, boxes: those of boxes, labels: names of classes, classes: of a mask, show(isShown): draws the classes of which isShown(id) is
 * true}; null if its file cannot be had.
 */
async function drawLayer(layer, place, size) {
	const path = layer.path === null ? null : place.pathOf(layer.path);
	if (layer.kind === 'mask') return path === null ? null : maskNode(hrefOf(layer, place)).catch(() => null);
	const data = layer.data ?? (path === null ? null : await readBoxes(path));
	return boxesLayer(data, size);
}

const wholeNumber = (value) => Number.isInteger(value) && value > 0 ? value : null;

/*
 * files: as of table_file.js. ondrawn({layer, node, boxes, labels, classes, show}): one of its layers is there. What cannot be had is
 * left out. onfail(): the image cannot be had; without it words take its place.
 */
export function imageFigure(value, place, { look, loading = 'eager', showsLayers = true, ondrawn = () => {}, onfail } = {}) {
	const image = el('img', { src: hrefOf(value, place), alt: nameOf(value), loading, decoding: 'async', draggable: 'false',
		width: wholeNumber(value.width), height: wholeNumber(value.height) });
	const node = el('span', { class: `image-figure ${look}` }, image);

	async function draw() {
		const size = [image.naturalWidth, image.naturalHeight];
		for (const layer of layersOf(value)) {
			const drawn = await drawLayer(layer, place, size);
			if (!drawn) continue;
			node.append(drawn.node);
			ondrawn({ layer, ...drawn });
		}
	}

	image.addEventListener('error', onfail ?? (() => replace(node, el('span', { class: 'muted' }, words.noImage(nameOf(value))))), { once: true });
	if (showsLayers) image.addEventListener('load', draw, { once: true });
	return node;
}
