/* All rows of a metric as a heat strip: a row a device or process, a column a stretch of time, in one canvas. */

import { heatKey } from '../chart/heat_key.js';
import { paintStrip, rowHeight, valueTone } from '../chart/heat_strip.js';
import { rangeOf } from '../chart/units.js';
import { el, replace } from '../dom.js';
import { stripHover } from '../run/strip_hover.js';
import { text } from '../text.js';

const words = text.system;

/* panel: {say, at, names, name}; draw(sheet, its statistics) shows the rows as they stand, null takes the strip away. */
export function systemStrip(panel) {
	const canvas = el('canvas', { class: 'heat', role: 'img' });
	const node = el('div', { class: 'system-strip', hidden: true });
	let known = null;
	let shown = [];

	/* Rows with their names, which are made when there are other rows. */
	function named(stood) {
		if (stood !== known) shown = stood.map(({ row, cells }) => ({ label: panel.names(row), cells }));
		known = stood;
	}

	function show(sheet, { least, greatest, wide }) {
		const { from, width } = sheet.grid;
		const high = rowHeight(shown.length);
		const hovered = { rows: shown, wide, times: [from, from + wide * width], say: panel.say, where: panel.at };
		canvas.style.setProperty('height', `${shown.length * high}px`);
		replace(node, el('div', { class: 'strip-rows' }, stripHover(canvas, hovered, high)),
			heatKey({ from: panel.say(least), to: panel.say(greatest), ramp: 'use' }, words.silent));
		paintStrip(canvas, shown, wide, valueTone(least, greatest, wide));
	}

	function draw(sheet, reckoned) {
		node.hidden = !sheet;
		if (!sheet) return;
		named(reckoned.stood);
		const wide = Math.max(1, sheet.grid.count);
		const [least, greatest] = rangeOf(sheet.metric.unit, ...reckoned.extent());
		canvas.setAttribute('aria-label', words.strip(panel.name, shown.length, panel.say(least), panel.say(greatest)));
		show(sheet, { least, greatest, wide });
	}

	return { node, draw };
}
