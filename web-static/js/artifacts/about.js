/* A description in Markdown, and facts, as cards. */

import { el, replace } from '../base/dom.js';
import { duration } from '../base/format.js';
import { text } from '../text/artifacts.js';
import { card } from '../ui/controls.js';
import { later } from '../ui/later.js';

const markdown = later(() => import('../ui/markdown_nodes.js'));

/* {node, show(description)} */
export function aboutCard(title, none) {
	const body = el('div', { class: 'body notes', dir: 'auto' });
	let shown;

	function show(description) {
		if (shown === description) return;
		shown = description;
		if (!description?.trim()) return void replace(body, el('p', { class: 'muted' }, none));
		markdown.each(({ markdownNodes }) => shown === description && replace(body, markdownNodes(description)));
	}

	return { node: card(title, null, body), show };
}

/* facts: [[name, value], …]; false has no line. */
export function factsCard(title, facts) {
	return card(title, null, el('div', { class: 'body' }, el('dl', { class: 'facts' },
		facts.filter(Boolean).map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]))));
}

/* When versions of a collection are deleted. */
export const ttlWords = (seconds) => seconds ? text.collection.after(duration(seconds)) : text.collection.never;
