/* The sweeps of a project, the newest first, or one of them. The list is read again while it is seen. */

import { apiPath } from '../address.js';
import { pagesOf } from '../artifacts/pages.js';
import { el, refill, replace } from '../base/dom.js';
import { mayWriteAs, roleIn } from '../projects/role.js';
import { firstSweep } from '../sweeps/lines.js';
import { sweepTable } from '../sweeps/sweep_table.js';
import { text } from '../text/sweeps.js';
import { button } from '../ui/controls.js';
import { faultWords } from '../ui/fault_words.js';
import { later, loaded } from '../ui/later.js';


const words = text.sweeps;
const dialogs = later(() => import('../sweeps/create_dialog.js'));

async function listPage(address, { user }) {
	const { entity, project } = address;
	const fault = el('p', { class: 'fault', role: 'alert' });
	const sayFault = faultWords(() => list.again());
	const list = pagesOf(() => `${apiPath(entity, project)}/sweeps`, { changed: draw, fault: (answer) => refill(fault, sayFault(answer)) });
	const table = sweepTable({ entity, project });
	const more = button(words.more, { onclick: () => list.more() });
	const body = el('div', { class: 'artifacts-body' });
	const role = user ? roleIn(entity) : Promise.resolve();
	let shown = '';

	function put(what, make) {
		if (shown !== what) replace(body, make());
		shown = what;
	}

	/* How to start the first one is for those who may. */
	function noneYet() {
		const node = el('div', {}, el('p', { class: 'soft' }, words.noneYet));
		role.then((mine) => mayWriteAs(mine) && replace(node, firstSweep(address)));
		return node;
	}

	function draw() {
		const { items, cursor } = list.list;
		more.hidden = !cursor;
		if (!items.length) return put('none', noneYet);
		put('table', () => table.node);
		return table.show(items);
	}

	const create = button(text.create.open, { name: 'plus', hidden: true, onclick: () => dialogs('createSweep', address) });
	role.then((mine) => {
		create.hidden = !mayWriteAs(mine);
	});
	const failed = await list.again();
	if (failed) {
		list.stop();
		return { answer: failed };
	}
	return {
		node: el('div', { class: 'page', 'data-scroll': 'page' },
			el('div', { class: 'page-head' }, el('h1', {}, words.head), create), fault, body, more),
		title: words.title(project),
		stop: list.stop,
	};
}

export async function sweepsPage(address, context) {
	if (!address.sweep) return listPage(address, context);
	const one = await loaded(() => import('../sweeps/sweep_page.js'));
	return one ? one.sweepPage(address, context) : { answer: { status: 0 } };
}
