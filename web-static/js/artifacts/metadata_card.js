/* The metadata of a version: each key with its value, nested ones by their dotted name, searched by key or value. */

import { el, replace } from '../base/dom.js';
import { count, written } from '../base/format.js';
import { leaves } from '../base/leaves.js';
import { text } from '../text/artifacts.js';
import { card, field, iconButton } from '../ui/controls.js';
import { copy } from '../ui/copy.js';

const words = text.artifact;
const SHOWN = 500;

/* A number as it was written; other values as JSON, but texts as they are. */
export function valueText(value) {
	if (typeof value === 'number') return written(value);
	return typeof value === 'string' ? value : JSON.stringify(value);
}

const textOf = ([before, key, value]) => `${before}${key}\0${valueText(value)}`.toLowerCase();

function row([before, key, value]) {
	return el('tr', {}, el('th', { scope: 'row' }, el('bdi', {}, el('span', { class: 'muted' }, before), key)),
		el('td', { class: 'mono value' }, el('bdi', {}, valueText(value))));
}

export function metadataCard(metadata) {
	const all = [...leaves(metadata)];
	const body = el('tbody');
	const note = el('p', { class: 'note' });
	const search = field('search', words.findMetadata, { look: 'slim', oninput: draw });

	function draw() {
		const sought = search.querySelector('input').value.trim().toLowerCase();
		const found = all.filter((leaf) => textOf(leaf).includes(sought));
		replace(body, found.slice(0, SHOWN).map(row));
		note.textContent = found.length ? words.moreKeys(Math.max(0, found.length - SHOWN)) : all.length ? words.noKey : words.noMetadata;
		note.hidden = found.length > 0 && found.length <= SHOWN;
	}

	draw();
	const node = card(words.metadata, all.length > 0 && [search,
		iconButton('copy', words.copyMetadata, { class: 'ibtn small', onclick: () => copy(JSON.stringify(metadata, null, 2)) })],
	el('div', { class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': words.metadata }, el('table', { class: 'table doc' }, body)), note);
	node.querySelector('h2').append(' ', el('span', { class: 'count' }, count(all.length)));
	return node;
}
