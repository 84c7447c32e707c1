/* A card with a chart as wide as it is, or with its table instead; it is drawn again when its data, its choices or its width change. */

import { el, replace } from '../base/dom.js';
import { text } from '../text/sweeps.js';
import { button, card } from '../ui/controls.js';
import { redrawn } from '../ui/redrawn.js';

const words = text.sweep;
const LEAST_PX = 320;

/*
 * title; tools: nodes in its head; essence(): what it is drawn from; chart(width): a node, or null where there is nothing to draw;
 * table(): a node with the same data; empty(): a node said instead. {node, update, stop}
 */
export function figureCard(title, { tools = null, essence, chart, table, empty, note = () => null, least = LEAST_PX }) {
	let width = 0;
	let isTable = false;
	const switcher = button('', { look: 'small', onclick: () => {
		isTable = !isTable;
		body.update();
	} });
	const body = redrawn(() => [essence(), width, isTable], draw);
	const node = card(title, [tools, switcher], body.node);
	const seen = new ResizeObserver(([{ contentRect }]) => {
		const now = Math.round(contentRect.width);
		if (Math.abs(now - width) < 2) return;
		width = now;
		body.update();
	});

	function draw() {
		const reason = empty();
		switcher.hidden = Boolean(reason);
		replace(switcher, isTable ? words.hideTable : words.showTable);
		if (reason) return el('p', { class: 'note' }, reason);
		if (isTable) return [table(), note()];
		if (!width) return null;
		return [el('div', { class: 'plot-scroll' }, chart(Math.max(least, width - 24))), note()];
	}

	body.node.classList.add('figure-body');
	seen.observe(node);
	body.update();
	return { node, update: body.update, stop: () => seen.disconnect() };
}
