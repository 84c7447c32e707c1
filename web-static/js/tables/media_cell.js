/*
 * Images, sound and other files in cells. Which kind it is says the value ({_type, path, …}, as the wandb SDK writes it); where the
 * file is, files.pathOf(path).
 */

import { root } from '../api.js';
import { el } from '../base/dom.js';
import { text } from '../text/tables.js';

const words = text.tables;

/* The address of a media file; null if it is not among the files. */
export function hrefOf(value, files) {
	const path = typeof value.path === 'string' ? files.pathOf(value.path) : null;
	return path === null ? null : new URL(`api/v1/${path}`, root).href;
}

export const nameOf = (value) => value.caption || words.kinds[value._type] || words.media;

function audio(value, href) {
	return el('audio', { class: 'cell-audio', src: href, controls: true, preload: 'none', tabindex: -1, 'aria-label': nameOf(value) });
}

const SHOWN = { 'audio-file': audio };

/* image(value): of an image. */
export function mediaCell(value, files, image) {
	const href = hrefOf(value, files);
	if (href === null) return el('bdi', { class: 'clip muted', title: value.path ?? null }, nameOf(value));
	if (value._type === 'image-file') return image(value);
	const made = Object.hasOwn(SHOWN, value._type) && SHOWN[value._type](value, href);
	return made || el('bdi', { class: 'clip link' }, nameOf(value));
}
