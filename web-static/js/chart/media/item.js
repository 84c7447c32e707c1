/*
 * One image, sound, film, page, plot or other file of a value. Nothing of a file is requested before it is near the screen, and what
 * cannot be had is tried again.
 */

import { root } from '../../api.js';
import { el, replace } from '../../base/dom.js';
import { bytes } from '../../base/format.js';
import { imageFigure } from '../../tables/image_figure.js';
import { addressedFile, versionFiles } from '../../tables/version_files.js';
import { text } from '../../text/media.js';
import { filePreview } from './file_preview.js';
import { retried } from './retry.js';

const words = text.media;
const GIF = /\.gif$/i; /* the form that the SDK gives films by default */

export const kindName = (item) => words.kindOf[item._type] ?? words.media;

const isImage = (item) => item._type === 'image-file' || (item._type === 'video-file' && GIF.test(item.path ?? ''));

/* {item, files} with the path that it has in files; null if it is not on this server; {fault}. */
async function findItem(item, { project, run }) {
	if (item.path !== null && item.path !== undefined) return { item, files: versionFiles(run) };
	const found = await addressedFile(project, item.address);
	if (!found || found.fault) return found;
	return { item: { ...item, path: found.path }, files: found.files };
}

export const hrefIn = (files, path) => {
	const below = files.pathOf(path);
	return below === null ? null : new URL(`api/v1/${below}`, root).href;
};

const nameIn = (path) => path.split('/').at(-1);

export function downloadLink(item, href) {
	return el('a', { class: 'btn small', href, download: nameIn(item.path), 'aria-label': words.download(nameIn(item.path)) }, words.save);
}

function imageNode({ item, files }, { name, onopen, ondrawn, isLarge, failed }) {
	const figure = imageFigure({ ...item, caption: name }, files, { look: isLarge ? 'whole' : 'media-image', loading: isLarge ? 'eager' : 'lazy',
		ondrawn, onfail: failed });
	if (isLarge) return figure;
	return el('button', { type: 'button', class: 'media-open', 'aria-label': words.open(name), title: words.open(name), onclick: onopen }, figure);
}

function player(tag) {
	return ({ href }, { name, failed }) => el(tag, { src: href, controls: true, preload: 'metadata', 'aria-label': name, onerror: failed });
}

/* Scripts of the page run in an origin of its own, and request nothing; the server wants to know who asks for them (content_send.c). */
function frameNode({ href }, { name, isLarge, onopen }) {
	const frame = el('iframe', { class: isLarge ? 'cell-frame' : 'media-frame', sandbox: 'allow-scripts', src: `${href}?framed=true&scripts=true`,
		title: words.frame(name), referrerpolicy: 'origin' });
	if (isLarge) return frame;
	return [frame, el('button', { type: 'button', class: 'btn small', onclick: onopen }, words.open(name))];
}

function otherNode(found, options) {
	const { item, href } = found;
	return el('div', { class: 'media-card' },
		el('p', {}, el('b', {}, kindName(item)), ' ', el('span', { class: 'muted' }, [nameIn(item.path), Number.isFinite(item.size) && bytes(item.size)]
			.filter(Boolean).join(', '))),
		filePreview(found, options), downloadLink(item, href));
}

const NODES = { 'audio-file': player('audio'), 'video-file': player('video'), 'html-file': frameNode };

function nodeOf(found, options) {
	if (isImage(found.item)) return imageNode(found, options);
	return Object.hasOwn(NODES, found.item._type) ? NODES[found.item._type](found, options) : otherNode(found, options);
}

/*
 * item: of itemsOf; place: {project, run}, their paths; name: how it is called. Gives {node, show(), hide()}.
 * ondrawn(drawn): a layer of an image is there, as of image_figure.js.
 */
export function mediaItem(item, place, { name, onopen, ondrawn, isLarge = false }) {
	const frame = el('div', { class: `media-item ${item._type}` });
	const node = el('figure', { class: 'media-figure' }, frame, item.caption && el('figcaption', { dir: 'auto', title: item.caption }, item.caption));
	const ratio = item.width > 0 && item.height > 0 && isImage(item) ? `${item.width} / ${item.height}` : '';
	if (ratio) frame.style.setProperty('--ratio', ratio);

	const tries = retried(async (failed) => {
		const found = await findItem(item, place);
		const isFault = Boolean(found?.fault);
		const href = found && !isFault ? hrefIn(found.files, found.item.path) : null;
		const say = (said) => replace(frame, el('p', { class: 'muted', role: 'status' }, said));
		if (href === null && !isFault) return void say(words.noFile);
		const fail = () => {
			say(words.again(name));
			failed();
		};
		if (isFault) return fail();
		return void replace(frame, nodeOf({ ...found, href }, { name, onopen, ondrawn, isLarge, failed: fail }));
	});

	/* A page may run scripts, and is taken out where it is not seen. */
	function hide() {
		tries.stop();
		if (item._type !== 'html-file') return;
		replace(frame);
		tries.forget();
	}

	return { node, show: tries.start, hide };
}
