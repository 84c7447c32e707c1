/*
 * All rows of a metric as a heat strip: a row a device or process, a column a stretch of time, in one canvas. As ranks
 * over time have it: how far a row is from the median of all, so who is like the others is blank.
 */

import { el, replace } from '../base/dom.js';
import { visible } from '../base/visible.js';
import { fullScale, percent, reachOf } from '../chart/data/ratio_scale.js';
import { heatKey, paintStrip, ratioTone, rowHeight } from '../chart/kinds/heat_strip.js';
import { stripHover } from '../chart/kinds/strip_hover.js';
import { rangeOf } from '../chart/line/unit_words.js';
import { text } from '../text/system.js';
import { slowSideOf } from './metrics.js';

const words = text.system;
const NAMED = 4;

/*
 * panel: {say, at, names, name}; draw(sheet, its statistics) shows the rows as they stand, null takes the strip away;
 * lie(left, right) puts it below the plot.
 */
export function systemStrip(panel) {
	const canvas = el('canvas', { class: 'heat', role: 'img' });
	const node = el('div', { class: 'system-strip', hidden: true });
	let known = null;
	let shown = [];
	let scaled = {};

	/* Rows with their names, which are made when there are other rows. */
	function named(stood) {
		if (stood !== known) shown = stood.map(({ row, cells }) => ({ label: panel.names(row), cells }));
		known = stood;
	}

	/* Looked for when there are other numbers. */
	function scaleOf({ stood, seen }, hovered) {
		if (scaled.stood !== stood || scaled.seen !== seen) {
			scaled = { stood, seen, full: fullScale(hovered), reach: reachOf(hovered) };
		}
		return scaled;
	}

	function show({ grid: { from, width, count }, metric }, reckoned) {
		const middle = reckoned.middle.cells;
		const wide = Math.max(1, count);
		const high = rowHeight(shown.length);
		const hovered = { rows: shown, wide, middle, times: [from, from + wide * width], say: panel.say, where: panel.at };
		const side = slowSideOf(metric);
		const { full, reach: most } = scaleOf(reckoned, hovered);
		const reach = Math.max(most, metric.unit === '%' ? 100 : 0);
		const ends = middle.some((value) => value) ? [percent(-100 * full), percent(100 * full)]
			: [panel.say(-reach), panel.say(reach)];
		canvas.style.setProperty('height', `${shown.length * high}px`);
		replace(node, el('div', { class: 'strip-rows' }, stripHover(canvas, () => ({ sheet: hovered, high }))),
			heatKey({ from: ends[0], to: ends[1], ramp: side }, words.silent));
		paintStrip(canvas, shown, wide, ratioTone(middle, full, side, reach));
	}

	function told({ metric, x }, reckoned) {
		const [least, greatest] = rangeOf(metric.unit, ...reckoned.extent());
		const odd = reckoned.odd.slice(0, NAMED).map(({ row, value }) => `${panel.names(row)} ${panel.say(value)}`);
		return [words.strip(panel.name, shown.length, words.over(x === '_step'), panel.say(least), panel.say(greatest)),
			words.stripOdd(odd.join(', '), reckoned.odd.length - NAMED)].join('; ');
	}

	function draw(sheet, reckoned) {
		node.hidden = !sheet;
		if (!sheet) return;
		named(reckoned.stood);
		canvas.setAttribute('aria-label', visible(told(sheet, reckoned)));
		show(sheet, reckoned);
	}

	/* In pixels from the sides of the panel. */
	function lie(left, right) {
		const margins = { 'margin-left': `${left}px`, 'margin-right': `${right}px` };
		for (const [name, value] of Object.entries(margins)) node.style.setProperty(name, value);
	}

	return { node, draw, lie };
}
