/* The head of a panel of any kind: its name, marks, and what can be done with it. */

import { el, refill, replace } from '../../base/dom.js';
import { visible } from '../../base/visible.js';
import { text } from '../../text/chart.js';
import { iconButton, menu } from '../../ui/controls.js';

const words = text.charts;

/* Marks that stay keep their element, so that a press or the focus is not lost. */
function putMarks(place, made) {
	const before = [...place.children];
	const now = made.map((mark) => {
		const old = before.find((one) => one.dataset.mark === mark.dataset.mark);
		if (!old) return mark;
		if (!old.isEqualNode(mark)) replace(old, [...mark.childNodes]).title = mark.title;
		return old;
	});
	if (now.length !== before.length || now.some((mark, at) => mark !== before[at])) place.replaceChildren(...now);
}

/* {node, update} */
export function panelHead(panel) {
	const { page } = panel;
	const name = el('h3', { class: 'clip' });
	const marks = el('span', { class: 'marks' });
	const aside = el('span', { class: 'aside' });
	const below = el('div');
	const tool = (icon, label, onclick, more) => iconButton(icon, label, { class: 'ibtn small', onclick, ...more });
	const reset = tool('search', words.resetZoom, () => panel.zoomTo(null));
	const table = tool('rows', words.table, () => panel.toggleTable(), { 'aria-pressed': 'false' });
	const full = tool('expand', words.full, () => page.full(panel.spec.id));
	const more = menu(tool('more', words.menu), () => page.menu(panel));
	full.hidden = panel.isFull;
	more.hidden = panel.isFull || !page.menu;
	return {
		node: el(
			'div',
			{},
			el('header', {}, name, marks, el('span', { class: 'grow' }), aside,
				el('span', { class: 'tools' }, reset, table, full, more)),
			below,
		),
		update() {
			refill(name, panel.name);
			name.title = visible(panel.name);
			putMarks(marks, (panel.marks?.() || []).filter(Boolean));
			refill(aside, panel.aside?.());
			refill(below, panel.legend?.());
			reset.hidden = !panel.data?.grid || (!panel.look.zoom && !panel.yZoom);
			table.hidden = !panel.tableNode;
			table.setAttribute('aria-pressed', String(Boolean(panel.table)));
		},
	};
}
