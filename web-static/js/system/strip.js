/* All rows of a metric as a heat strip: a row a device or process, a column a stretch of time, in one canvas. */

import { heatKey } from '../chart/heat_key.js';
import { paintStrip, rowHeight, valueTone } from '../chart/heat_strip.js';
import { rangeOf } from '../chart/units.js';
import { el, replace } from '../dom.js';
import { stripHover } from '../run/strip_hover.js';
import { text } from '../text.js';
import { extentOf } from './sheet.js';

const words = text.system;

/* panel: {say, at, names, name}; draw(sheet, rows that stand) shows them, null takes the strip away. */
export function systemStrip(panel) {
	const canvas = el('canvas', { class: 'heat', role: 'img' });
	const node = el('div', { class: 'system-strip', hidden: true });

	function show(sheet, rows, { least, greatest, wide }) {
		const { from, width } = sheet.grid;
		const high = rowHeight(rows.length);
		const shown = rows.map((row) => ({ label: panel.names(row), cells: row.cells }));
		const hovered = { rows: shown, wide, times: [from, from + wide * width], say: panel.say, where: panel.at };
		canvas.style.setProperty('height', `${rows.length * high}px`);
		replace(node, el('div', { class: 'strip-rows' }, stripHover(canvas, hovered, high)),
			heatKey({ from: panel.say(least), to: panel.say(greatest), ramp: 'use' }, words.silent));
		paintStrip(canvas, shown, wide, valueTone(least, greatest, wide));
	}

	function draw(sheet, rows) {
		node.hidden = !sheet;
		if (!sheet) return;
		const wide = Math.max(1, sheet.grid.count);
		const [least, greatest] = rangeOf(sheet.metric.unit, ...extentOf(rows, 0, wide - 1));
		canvas.setAttribute('aria-label', words.strip(panel.name, rows.length, panel.say(least), panel.say(greatest)));
		show(sheet, rows, { least, greatest, wide });
	}

	return { node, draw };
}
