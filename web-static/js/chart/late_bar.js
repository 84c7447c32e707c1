/* The bar over a panel in full screen (panel_edit.js), which comes when the first panel is seen there. */

import { el } from '../dom.js';
import { later } from '../parts/later.js';

/* What panelEdit gives; what is to be shown before it is there is shown then. */
export function lateBar(given) {
	const node = el('div');
	const edit = later(() => import('./late_tools.js'));
	let bar = null;
	let spec = null;

	async function make() {
		const made = await edit('panelEdit', given);
		if (bar || !made) return;
		bar = made;
		node.replaceWith(bar.node);
		bar.show(spec);
	}

	return {
		node,
		show(next) {
			spec = next;
			if (bar) bar.show(spec);
			else make();
		},
	};
}
