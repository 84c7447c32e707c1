/* One cell over the page: its whole text, or its image, sound or file in full. */

import { el } from '../base/dom.js';
import { text } from '../text/tables.js';
import { button } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { dialog } from '../ui/dialog.js';
import { wholeText } from './cell_text.js';
import { hrefOf, isMediaValue, nameOf } from './media_cell.js';

const words = text.tables;

function whole(value, kind) {
	const written = value !== null && typeof value === 'object' ? JSON.stringify(value, null, 2) : wholeText(value, kind);
	return { body: el('pre', { class: 'cell-whole', tabindex: 0, dir: 'auto' }, written),
		actions: [button(words.copy, { name: 'copy', onclick: () => copy(written) })] };
}

const PLAYERS = {
	'image-file': (href, name) => el('img', { class: 'cell-whole', src: href, alt: name }),
	'audio-file': (href, name) => el('audio', { src: href, controls: true, 'aria-label': name }),
	'video-file': (href, name) => el('video', { class: 'cell-whole', src: href, controls: true, 'aria-label': name }),
	'html-file': (href, name) => el('iframe',
		{ class: 'cell-frame', sandbox: '', src: `${href}?framed=true`, title: name, referrerpolicy: 'no-referrer' }),
};

function media(value, files) {
	const href = hrefOf(value, files);
	const name = nameOf(value);
	if (href === null) return { body: el('p', { class: 'note' }, words.noFile, ' ', value.path && el('code', {}, value.path)), actions: [] };
	const player = Object.hasOwn(PLAYERS, value._type) ? PLAYERS[value._type](href, name) : el('p', { class: 'note' }, words.noPlayer);
	return { body: [player, value.caption && el('p', { dir: 'auto' }, value.caption)],
		actions: [el('a', { class: 'btn', href, download: value.path.split('/').at(-1) }, words.download)] };
}

export function showCell(value, kind, { title, files }) {
	const { body, actions } = isMediaValue(value) ? media(value, files) : whole(value, kind);
	dialog(title, body, { actions, look: 'wide' });
}
