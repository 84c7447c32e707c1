/* The list of the project's runs at the left of the page of one of them, which is marked there. */

import { el } from '../base/dom.js';
import { ownPlace } from '../list/model/list_place.js';
import { runList } from '../list/run_list.js';
import { text } from '../text/common.js';
import { splitEdge } from '../ui/split.js';

const SIDE = { stored: 'cairn-beside-width', first: 320, label: text.panes.split };

/* here(): the id of the run that is shown; hrefOf(id): where a row leads; fold(): it is to be closed. */
export function walkList({ address, user, here, hrefOf, fold }) {
	const list = runList({ address, isTable: false, user, place: ownPlace(address), beside: { here, hrefOf } });
	const side = el('div', { class: 'side beside' }, list.node);
	const edge = splitEdge(side, SIDE, { fold });
	const scroller = side.querySelector('[role=grid], [role=treegrid]');
	const started = list.start();
	let before = null; /* how it was when it was taken out of a page */
	let marked = null;

	/*
	 * Another run is seen in the list; of the same one only where rows lead may be another. What stands in no page cannot
	 * be scrolled: there it is shown when it is put into one.
	 */
	async function mark() {
		await started;
		const run = here();
		if (run === marked) return list.walk.redraw();
		marked = run;
		await list.walk.show(run);
		if (!side.isConnected && marked === run) marked = null;
		return null;
	}

	return {
		mark,
		async next(by) {
			await started;
			return list.walk.next(here(), by);
		},
		leave() {
			before = { top: scroller.scrollTop, hadFocus: side.contains(document.activeElement), marked };
		},
		async put(frame) {
			if (side.parentElement !== frame) frame.prepend(side, edge);
			const { top = scroller.scrollTop, hadFocus = false } = before ?? {};
			if (before && before.marked !== here()) marked = null;
			before = null;
			scroller.scrollTop = top;
			await mark();
			if (hadFocus) side.querySelector('.here')?.focus({ preventScroll: true });
		},
		stop() {
			side.remove();
			edge.remove();
			list.stop();
		},
	};
}
