/* Markdown without raw HTML as nodes. */

import { asWritten, el } from '../base/dom.js';
import { markdown } from './markdown.js';

function part(one) {
	if (typeof one === 'string') return asWritten(one);
	if (one.kind === 'code') return el('code', {}, asWritten(one.text));
	if (one.kind === 'link') {
		return el('a', { href: one.target, rel: 'noreferrer noopener', target: '_blank' }, one.parts.map(part));
	}
	return el(one.kind, {}, one.parts.map(part));
}

const BLOCKS = {
	heading: (block) => el('h3', {}, block.parts.map(part)),
	paragraph: (block) => el('p', {}, block.parts.map(part)),
	quote: (block) => el('blockquote', {}, block.parts.map(part)),
	pre: (block) => el('pre', { tabindex: 0 }, asWritten(block.text)),
	rule: () => el('hr'),
	list: (block) => el('ul', {}, block.items.map((item) => el('li', {}, item.map(part)))),
	numbers: (block) => el('ol', {}, block.items.map((item) => el('li', {}, item.map(part)))),
};

export function markdownNodes(source) {
	return markdown(source).map((block) => BLOCKS[block.kind](block));
}
