/* The list of the project's runs at the left of the page of one of them, which is marked there. */

import { el } from '../dom.js';
import { runList } from '../parts/run_list.js';
import { splitEdge } from '../parts/split.js';
import { ownPlace } from '../runs/list_place.js';
import { text } from '../text.js';

const SIDE = { stored: 'cairn-beside-width', first: 320, label: text.workspace.split };

/* here(): the id of the run that is shown; hrefOf(id): where a row leads; fold(): it is to be closed. */
export function walkList({ address, user, here, hrefOf, fold }) {
	const list = runList({ address, isTable: false, user, place: ownPlace(address), beside: { here, hrefOf } });
	const side = el('div', { class: 'side beside' }, list.node);
	const edge = splitEdge(side, SIDE, { fold });
	const scroller = side.querySelector('[role=grid], [role=treegrid]');
	const started = list.start().then(() => list.walk.show(here()));
	let before = null; /* how it was when it was taken out of a page */

	return {
		side,
		/* Which run is shown changed, or where its rows lead. */
		async moved() {
			await started;
			list.walk.show(here());
		},
		async next(by) {
			await started;
			return list.walk.next(here(), by);
		},
		leave() {
			before = { top: scroller.scrollTop, hadFocus: side.contains(document.activeElement) };
		},
		async put(frame) {
			frame.prepend(side, edge);
			if (before) scroller.scrollTop = before.top;
			const hadFocus = before?.hadFocus;
			before = null;
			await started;
			const row = await list.walk.show(here());
			if (hadFocus) row?.focus({ preventScroll: true });
		},
		stop() {
			side.remove();
			edge.remove();
			list.stop();
		},
	};
}
