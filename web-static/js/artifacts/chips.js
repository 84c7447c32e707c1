/* Aliases and tags as chips. */

import { el } from '../base/dom.js';
import { text } from '../text/artifacts.js';

const words = text.artifacts;
const SHOWN = 6;

const chip = (name, props = {}) => el('span', { class: 'chip', ...props }, el('bdi', { class: 'clip' }, name));

function more(count) {
	return count > 0 && el('span', { class: 'count' }, words.moreAliases(count));
}

export function aliasChips(aliases, most = SHOWN) {
	return [aliases.slice(0, most).map((alias) => chip(alias, { class: 'chip alias', title: alias })), more(aliases.length - most)];
}

/* Links of a collection's aliases to the version that each names. hrefOf(version) */
export function aliasLinks(aliases, hrefOf, most = SHOWN) {
	return [aliases.slice(0, most).map(({ alias, version }) => el('a', { class: 'chip alias', href: hrefOf(version), title: words.aliasOf(alias, version) },
		el('bdi', { class: 'clip' }, alias))), more(aliases.length - most)];
}

export function tagChips(tags, most = SHOWN) {
	return [tags.slice(0, most).map((tag) => chip(tag, { class: 'chip line', title: tag })), more(tags.length - most)];
}
