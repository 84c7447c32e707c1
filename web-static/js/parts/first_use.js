/* In place of a page while its project has no run: how to make one. The page comes by itself with the first. */

import { el } from '../dom.js';
import { text } from '../text.js';
import { toast } from './controls.js';
import { firstRun } from './first_run.js';

const words = text.firstRun;

/* {node, set(isEmpty)}. */
export function firstUse({ entity, project }, page) {
	const node = el('div', { class: 'first-use' }, page);
	let card = null;

	function begin() {
		const head = el('h1', { class: 'long' }, words.head(`${entity}/${project}`));
		card = el('div', { class: 'cards' }, firstRun({ entity, project, head }));
		node.append(card);
	}

	/* The keyboard goes on at the page. */
	function end() {
		const hadFocus = card.contains(document.activeElement);
		card.remove();
		card = null;
		page.hidden = false;
		if (hadFocus) document.getElementById('main').focus({ preventScroll: true });
		toast(words.came);
	}

	return {
		node,
		set(isEmpty) {
			if (isEmpty === Boolean(card)) return;
			page.hidden = isEmpty;
			if (isEmpty) begin();
			else end();
		},
	};
}
