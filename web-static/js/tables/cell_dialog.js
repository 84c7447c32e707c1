/* One cell over the page: its whole text, or its image, sound or file in full. */

import { el } from '../base/dom.js';
import { number } from '../base/format.js';
import { HUES } from '../base/slot.js';
import { text } from '../text/tables.js';
import { button } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { dialog } from '../ui/dialog.js';
import { wholeText } from './cell_text.js';
import { imageFigure } from './image_figure.js';
import { classNames, colorOf } from './image_layers.js';
import { hrefOf, nameOf } from './media_cell.js';
import { isMedia } from './table.js';

const words = text.tables;

function whole(value, { kind }) {
	const written = value !== null && typeof value === 'object' ? JSON.stringify(value, null, 2) : wholeText(value, kind);
	return { body: el('pre', { class: 'cell-whole', tabindex: 0, dir: 'auto' }, written),
		actions: [button(words.copy, { name: 'copy', onclick: () => copy(written) })] };
}

/* A class in the legend: of a box, or of a mask. */
function classItem(id, name, more = []) {
	return el('li', {}, el('i', { class: 'class-color', style: { background: id === 0 ? 'none' : `var(--s${colorOf(id, HUES)})` } }),
		el('span', { dir: 'auto' }, words.boxOf(name, more)));
}

function boxItems(boxes, nameOfClass) {
	return boxes.map(({ id, caption, scores }) => classItem(id, nameOfClass(id),
		[caption, ...scores.map(([name, score]) => words.score(name, number(score)))].filter(Boolean)));
}

/* A layer of an image: a switch, and below it what it has. */
function layerNode({ layer, node, boxes, labels = {}, classes = [] }, type) {
	const names = { ...classNames(type, layer), ...labels };
	const nameOfClass = (id) => names[id] ?? words.classOf(id);
	const control = el('input', { type: 'checkbox', checked: true, onchange: () => { node.toggleAttribute('hidden', !control.checked); } });
	return el('section', { class: 'image-legend' }, el('label', {}, control, ' ', words.layerNames[layer.kind](layer.name)),
		el('ul', {}, boxes ? boxItems(boxes, nameOfClass) : classes.map((id) => classItem(id, nameOfClass(id)))));
}

function image(value, files, { type }) {
	const legend = el('div', { class: 'image-legends' });
	const figure = imageFigure(value, files, { look: 'whole', ondrawn: (drawn) => legend.append(layerNode(drawn, type)) });
	return el('div', { class: 'image-parts' }, figure, legend);
}

const PLAYERS = {
	'audio-file': (href, name) => el('audio', { src: href, controls: true, 'aria-label': name }),
	'video-file': (href, name) => el('video', { class: 'cell-whole', src: href, controls: true, 'aria-label': name }),
	'html-file': (href, name) => el('iframe',
		{ class: 'cell-frame', sandbox: '', src: `${href}?framed=true`, title: name, referrerpolicy: 'no-referrer' }),
};

function player(value, href, files, column) {
	if (value._type === 'image-file') return image(value, files, column);
	return Object.hasOwn(PLAYERS, value._type) ? PLAYERS[value._type](href, nameOf(value)) : el('p', { class: 'note' }, words.noPlayer);
}

function media(value, files, column) {
	const href = hrefOf(value, files);
	if (href === null) return { body: el('p', { class: 'note' }, words.noFile, ' ', value.path && el('code', {}, value.path)), actions: [] };
	return { body: [player(value, href, files, column), value.caption && el('p', { dir: 'auto' }, value.caption)],
		actions: [el('a', { class: 'btn', href, download: value.path.split('/').at(-1) }, words.download)] };
}

export function showCell(value, column, { title, files }) {
	const { body, actions } = isMedia(value) ? media(value, files, column) : whole(value, column);
	dialog(title, body, { actions, look: 'wide' });
}
