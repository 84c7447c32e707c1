/* One file: what is known of it, and what it holds. */

import { root } from '../api.js';
import { el, replace } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { visibleName } from '../base/visible.js';
import { text } from '../text/files.js';
import { button, iconButton } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { segmented } from '../ui/segmented.js';
import { FileParts, filePath } from './file_parts.js';
import { jsonView } from './json_view.js';
import { IMAGE_BYTES, JSON_BYTES, kindOf, separatorOf } from './kind.js';
import { frameView, imageView, playerView } from './media_view.js';
import { rowsView } from './rows_view.js';
import { tableView } from './table_view.js';
import { textView } from './text_view.js';

const words = text.files;

function note(said) {
	return { node: el('p', { class: 'note' }, said), stop() {} };
}

function viewOf(file, kind, runPath, options) {
	const path = filePath(runPath, file.name);
	const href = new URL(`api/v1/${path}`, root).href;
	const parts = () => new FileParts(path, file.bytes, options);
	const views = {
		text: () => textView(parts()),
		json: () => jsonView(parts(), views.text),
		rows: () => rowsView({ name: file.name, path, runPath, instead: file.bytes > JSON_BYTES ? views.text : views.json }),
		table: () => tableView(parts(), separatorOf(file.name)),
		frame: () => frameView(href, file.name),
		image: () => imageView(href, file.name),
		audio: () => playerView('audio', href, file.name),
		video: () => playerView('video', href, file.name),
		large: () => note(words.isLarge(bytes(IMAGE_BYTES))),
	};
	if (file.ref) return note(words.isReference);
	return file.bytes ? views[kind]() : note(words.empty);
}

function facts(file, factsOf) {
	const rows = [
		[words.facts.size, file.bytes === null ? words.sizeUnknown : el('span', { title: `${count(file.bytes)} B` }, bytes(file.bytes))],
		[words.facts.type, file.content_type],
		...factsOf(file),
		file.md5 && [words.facts.md5, el('button',
			{ type: 'button', class: 'mono clip', title: words.copyMd5, 'aria-label': `${words.copyMd5} ${file.md5}`,
			onclick: () => copy(file.md5) }, file.md5)],
	];
	return el('dl', { class: 'file-facts' }, rows.filter(Boolean).map(([name, value]) =>
		el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

/*
 * {node, show(file or null, said), changed(), stop}; the files are below the path of a run, or of a version of an artifact,
 * where `ref` is the address of one that is not stored. factsOf(file): [[name, value], …]. `said` is shown where there is no file.
 */
export function filePreview(runPath, factsOf) {
	const node = el('section', { class: 'file-preview', 'aria-label': words.preview });
	let ends = new AbortController();
	let view = null;
	let file = null;
	const news = el('p', { class: 'note warn', role: 'status', hidden: true }, words.changed, ' ',
		button(words.showAgain, { look: 'small', onclick: () => show(file) }));

	function leave() {
		ends.abort();
		ends = new AbortController();
		view?.stop();
		view = null;
	}

	function fill(place, kind) {
		leave();
		view = viewOf(file, kind, runPath, { signal: ends.signal });
		replace(place, view.node);
	}

	function head(kind, place) {
		const href = new URL(`api/v1/${filePath(runPath, file.name)}`, root).href;
		const looks = file.bytes && !file.ref ? words.looks[kind] : null;
		return el('header', { class: 'file-title' },
			el('h2', { class: 'clip', title: visibleName(file.name) }, el('bdi', {}, visibleName(file.name))),
			iconButton('copy', words.copyName, { onclick: () => copy(file.name) }),
			el('span', { class: 'grow' }),
			looks && segmented(words.as, looks, 'shown', (which) => fill(place, which === 'shown' ? kind : 'text')),
			!file.ref && el('a', { class: 'btn', href, download: file.name.split('/').at(-1) }, words.download));
	}

	function show(next, said = words.pick) {
		file = next;
		leave();
		news.hidden = true;
		if (!file) return void replace(node, el('p', { class: 'empty muted' }, said));
		const place = el('div', { class: 'file-place' });
		const kind = kindOf(file);
		replace(node, head(kind, place), facts(file, factsOf), news, place);
		return void fill(place, kind);
	}

	return {
		node, show,
		/* The same name leads to something else now; what is shown stays until the user asks for it. */
		changed(next) {
			file = next;
			news.hidden = false;
		},
		file: () => file,
		stop: leave,
	};
}
