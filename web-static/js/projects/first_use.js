/*
 * In place of a page while its project has no run: how to make one. The first that comes is opened by itself; where
 * there were runs before, or the address asks for more than the project, the page comes.
 */

import { apiPath, hrefOf } from '../address.js';
import { ask } from '../api.js';
import { el } from '../base/dom.js';
import { go, query } from '../router.js';
import { text } from '../text/list.js';
import { toast } from '../ui/controls.js';
import { later } from '../ui/later.js';

const words = text.firstUse;
const ways = later(() => import('./first_run.js'));

/* Returns whether the address asks for nothing but the project or a view of it. */
const isBare = () => [...query().keys()].every((key) => key === 'view');

/* {node, set(isEmpty)}. */
export function firstUse({ entity, project }, page) {
	const node = el('div', { class: 'first-use' }, page);
	let card = null;
	let wasThere = false;

	function begin() {
		const head = el('h1', { class: 'long' }, words.head(`${entity}/${project}`));
		const made = card = el('div', { class: 'cards' });
		node.append(made);
		ways.each(({ firstRun }) => made.append(firstRun({ entity, project, head })));
	}

	async function openFirst() {
		const { status, body } = await ask('GET', `${apiPath(entity, project)}/runs?limit=2`);
		const [run, other] = status === 200 ? body.items : [];
		if (run && !other && node.isConnected) go(hrefOf(entity, project, 'runs', run.id));
	}

	/* The keyboard goes on at the page. */
	function end() {
		const hadFocus = card.contains(document.activeElement);
		card.remove();
		card = null;
		page.hidden = false;
		if (hadFocus) document.getElementById('main').focus({ preventScroll: true });
		toast(words.came);
		if (!wasThere && isBare()) openFirst();
	}

	return {
		node,
		set(isEmpty) {
			if (isEmpty !== Boolean(card)) {
				page.hidden = isEmpty;
				if (isEmpty) begin();
				else end();
			}
			wasThere ||= !isEmpty;
		},
	};
}
