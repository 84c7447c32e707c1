/* Views of files that the browser itself can show: pictures, sound, films, and pages in a frame without scripts. */

import { el, replace } from '../base/dom.js';
import { text } from '../text/files.js';
import { segmented } from '../ui/segmented.js';

const words = text.files;

function view(...children) {
	return { node: el('div', { class: 'file-view' }, children), stop() {} };
}

export function imageView(href, name) {
	const place = el('div', { class: 'scroll file-image', tabindex: 0, role: 'region', 'aria-label': words.preview });
	const size = el('span', { role: 'status' }, words.loading);
	const image = el('img', { src: href, alt: name, decoding: 'async',
		onload: () => {
			size.textContent = words.picture(image.naturalWidth, image.naturalHeight);
		},
		onerror: () => {
			size.textContent = '';
			replace(place, el('p', { class: 'note', role: 'alert' }, words.noImage));
		} });
	const pick = segmented(words.sizesOf, [['fit', words.fit], ['actual', words.actual]], 'fit', (which) => {
		place.dataset.size = which;
	});
	place.append(image);
	return view(place, el('footer', { class: 'file-foot' }, size, el('span', { class: 'grow' }), pick));
}

/* tag: 'audio' or 'video'. */
export function playerView(tag, href, name) {
	const place = el('div', { class: 'scroll file-image' });
	place.append(el(tag, { src: href, controls: true, preload: 'metadata', 'aria-label': name,
		onerror: () => replace(place, el('p', { class: 'note', role: 'alert' }, words.noMedia)) }));
	return view(place);
}

export function frameView(href, name) {
	return view(el('iframe',
		{ class: 'file-frame', sandbox: '', src: `${href}?framed=true`, title: name, referrerpolicy: 'no-referrer' }),
		el('footer', { class: 'file-foot' }, words.frameNote));
}
