/* All rows of a metric as a heat strip: a row a device or process, a column a stretch of time. One canvas, however many there are. */

import { paintStrip, rowHeight, valueTone } from '../chart/heat_strip.js';
import { rangeOf } from '../chart/units.js';
import { el, replace } from '../dom.js';
import { stripHover } from '../run/strip_hover.js';
import { text } from '../text.js';
import { extentOf, middleOf } from './sheet.js';

const words = text.system;

/* panel: {say, at, names, name}; draw(sheet, rows that stand) shows them, null takes the strip away. */
export function systemStrip(panel) {
	const canvas = el('canvas', { class: 'heat', role: 'img' });
	const node = el('div', { class: 'system-strip', hidden: true });

	function draw(sheet, rows) {
		node.hidden = !sheet;
		if (!sheet) return;
		const { grid, metric } = sheet;
		const wide = Math.max(1, grid.count);
		const high = rowHeight(rows.length);
		const shown = rows.map((row) => ({ label: panel.names(row), cells: row.cells.subarray(0, wide) }));
		const [least, greatest] = rangeOf(metric.unit, ...extentOf(rows, 0, wide - 1));
		const drawn = { rows: shown, wide, times: [grid.from, grid.from + wide * grid.width], middle: middleOf(rows, wide).cells, say: panel.say, where: panel.at };
		canvas.style.setProperty('height', `${rows.length * high}px`);
		canvas.setAttribute('aria-label', words.strip(panel.name, rows.length, panel.say(least), panel.say(greatest)));
		replace(node, stripHover(canvas, drawn, high));
		paintStrip(canvas, shown, wide, valueTone(least, greatest, wide));
	}

	return { node, draw };
}
