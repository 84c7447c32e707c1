/* One cell over the page: its whole text, or its image, sound or file in full. */

import { el } from '../base/dom.js';
import { number } from '../base/format.js';
import { text } from '../text/tables.js';
import { button } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { dialog } from '../ui/dialog.js';
import { wholeText } from './cell_text.js';
import { imageFigure } from './image_figure.js';
import { classNames } from './image_layers.js';
import { classSwitch, layerSwitch } from './layer_switches.js';
import { hrefOf, nameOf } from './media_cell.js';
import { isMedia } from './table.js';

const words = text.tables;

function whole(value, { kind }) {
	const written = value !== null && typeof value === 'object' ? JSON.stringify(value, null, 2) : wholeText(value, kind);
	return { body: el('pre', { class: 'cell-whole', tabindex: 0, dir: 'auto' }, written),
		actions: [button(words.copy, { name: 'copy', onclick: () => copy(written) })] };
}

/* The text of a box in the legend. */
const boxText = ({ caption, scores }) => [caption, ...scores.map(([name, score]) => words.score(name, number(score)))].filter(Boolean);

/* A layer of an image: a switch, and below it one for each of its classes, with what its boxes say. type: of the column, if there is one. */
export function layerLegend({ layer, node, boxes, labels = {}, classes = [], show }, type) {
	const names = { ...classNames(type, layer), ...labels };
	const hidden = new Set();

	function onclass(id, isOn) {
		if (isOn) hidden.delete(id);
		else hidden.add(id);
		show((one) => !hidden.has(one));
	}

	function classItem(id) {
		const more = (boxes ?? []).filter((box) => box.id === id).map(boxText).filter((said) => said.length);
		return el('li', {}, classSwitch(id, names[id] ?? words.classOf(id), { onchange: (isOn) => onclass(id, isOn) }),
			more.length > 0 && el('ul', {}, more.map((said) => el('li', { class: 'muted', dir: 'auto' }, said.join(', ')))));
	}

	const ids = boxes ? [...new Set(boxes.map(({ id }) => id))] : classes;
	return el('section', { class: 'image-legend' },
		layerSwitch(layer, { onchange: (isOn) => node.toggleAttribute('hidden', !isOn) }), el('ul', {}, ids.map(classItem)));
}

function image(value, files, { type }) {
	const legend = el('div', { class: 'image-legends' });
	const figure = imageFigure(value, files, { look: 'whole', ondrawn: (drawn) => legend.append(layerLegend(drawn, type)) });
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
