/* One metric over the whole page, with all of its rows below. */

import { el, replace } from '../base/dom.js';
import { text } from '../text/chart.js';
import { iconButton } from '../ui/controls.js';
import { specOf, SystemPanel } from './system_panel.js';

const words = text.charts;

/* closed(): when it is. {node, show(metric), close} */
export function fullPanel(page, closed) {
	const place = el('div', { class: 'full-place' });
	const dialog = el('dialog', { class: 'full-dialog', 'aria-label': words.full, onclose: leave },
		el('div', { class: 'chart-bar' }, el('span', { class: 'gap' }),
			iconButton('close', words.close, { onclick: () => dialog.close() })), place);
	let panel = null;

	/* This is called after it closed: it may have been opened again by then. */
	function leave() {
		if (dialog.open) return;
		panel?.stop();
		panel = null;
		closed();
	}

	return {
		node: dialog,
		panel: () => panel,
		show(metric) {
			if (dialog.open && panel?.metric.id === metric.id) return;
			panel?.stop();
			if (!dialog.open) dialog.showModal();
			panel = new SystemPanel(specOf(metric), page, { isFull: true });
			replace(place, panel.node);
			panel.show();
			panel.node.focus();
		},
		close: () => dialog.open && dialog.close(),
	};
}
