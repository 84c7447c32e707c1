/* One panel over the whole page: the next and the one before it, the picture, the numbers. */

import { el, replace } from '../dom.js';
import { button, iconButton } from '../parts/controls.js';
import { text } from '../text.js';
import { LinePanel } from './line_panel.js';
import { saveCsv, savePng } from './panel_export.js';

const words = text.charts;

/* keys(): in their order; closed(): when it is. Gives back {show(key), panel(), stop()}. */
export function panelFull(page, { keys, shown, closed }) {
	let panel = null;
	const place = el('div', { class: 'full-place' });
	const bar = el('div', { class: 'chart-bar', role: 'toolbar', 'aria-label': words.full },
		button(words.before, { onclick: () => move(-1) }), button(words.next, { onclick: () => move(1) }), el('span', { class: 'gap' }),
		button(words.png, { name: 'download', onclick: () => panel?.plot && savePng(panel) }),
		button(words.csv, { name: 'download', onclick: () => panel?.data && saveCsv(panel) }),
		iconButton('close', words.close, { onclick: () => dialog.close() }));
	const dialog = el('dialog', { class: 'full-dialog', 'aria-label': words.full, onclose: leave, onkeydown: press }, bar, place);

	function move(by) {
		const all = keys();
		const next = all[all.indexOf(panel.key) + by];
		if (next !== undefined) shown(next);
	}

	function press(event) {
		if (event.key === 'PageDown') move(1);
		if (event.key === 'PageUp') move(-1);
	}

	function leave() {
		panel?.stop();
		panel = null;
		closed();
	}

	return {
		node: dialog,
		panel: () => panel,
		show(key) {
			if (panel?.key === key) return;
			panel?.stop();
			if (!dialog.open) dialog.showModal();
			panel = new LinePanel(key, page, { isFull: true });
			replace(place, panel.node);
			panel.show();
			panel.node.focus();
		},
		close: () => dialog.open && dialog.close(),
	};
}
