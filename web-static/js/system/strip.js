/*
 * All rows of a metric as a heat strip: a row for each device or process, a column for each bucket of time, in one canvas.
 * A cell has the colour of its difference from the median of all rows, and is blank if the difference is noise. Names of
 * rows are to the left of the canvas, below the axis of the plot.
 */

import { append, el, replace } from '../base/dom.js';
import { number } from '../base/format.js';
import { medianOf } from '../base/median.js';
import { visible } from '../base/visible.js';
import { fullScale, percent, reachOf } from '../chart/data/ratio_scale.js';
import { fullOfNoise, heatKey, paintStrip, ratioTone, rowHeight } from '../chart/kinds/heat_strip.js';
import { stripHover } from '../chart/kinds/strip_hover.js';
import { rangeOf } from '../chart/line/unit_words.js';
import { text } from '../text/system.js';
import { slowSideOf } from './metrics.js';
import { noiseOf } from './odd_rows.js';

const words = text.system;
const NAMED = 4;
const NAME_PX = 11; /* of a line of names */
const NAMES = 100; /* of rows, at most */
const [LETTER, MOST] = [6, 120]; /* px of a letter of a name, and of all of it */

/*
 * panel: {say, at, names, name}; draw(sheet, its statistics) shows the rows with values carried forward, null hides the
 * strip; nameRoom(its statistics) returns the width of names in px; lie(left, right) places the canvas below the plot.
 */
export function systemStrip(panel) {
	const canvas = el('canvas', { class: 'heat', role: 'img' });
	const node = el('div', { class: 'system-strip', hidden: true });
	let known = null;
	let shown = [];
	let names = null;
	let scaled = {};

	/* Rows with their names, which are made when there are other rows. Where rows are low, every k-th is named. */
	function named(stood) {
		if (stood === known) return;
		shown = stood.map(({ row, cells }) => ({ label: panel.names(row), cells }));
		names = el('div', { class: 'strip-names', 'aria-hidden': 'true' });
		known = stood;
		const high = rowHeight(shown.length);
		const every = Math.max(Math.ceil(NAME_PX / high), Math.ceil(shown.length / NAMES));
		append(names, shown.map(({ label }, at) => at % every === 0
			&& el('span', { title: label, style: { top: `${at * high}px` } }, label)));
	}

	function nameRoom({ stood }) {
		named(stood);
		const letters = [...names.childNodes].reduce((most, node) => Math.max(most, node.textContent.length), 0);
		return Math.min(MOST, letters * LETTER + 8);
	}

	/* Looked for when there are other numbers. */
	function scaleOf({ stood, seen }, hovered, unit) {
		if (scaled.stood !== stood || scaled.seen !== seen) {
			scaled = { stood, seen, full: fullScale(hovered), reach: reachOf(hovered), noise: noiseOf(hovered, unit) };
		}
		return scaled;
	}

	/* Returns the ends of the scale: a ratio, or a difference where noise is more than the ratio or the median is 0. */
	function endsOf({ full, reach, least, middle, unit }) {
		const usual = medianOf(middle.filter((value) => value).map(Math.abs));
		if (full * usual >= least) return [percent(-100 * full), percent(100 * full)];
		const size = Math.max(least, usual ? 0 : reach);
		const shownSize = unit === '%' ? words.points(number(Number(size.toPrecision(2)))) : panel.say(size);
		return [`−${shownSize}`, `+${shownSize}`];
	}

	function show({ grid: { from, width, count }, metric }, reckoned) {
		const middle = reckoned.middle.cells;
		const wide = Math.max(1, count);
		const high = rowHeight(shown.length);
		const hovered = { rows: shown, wide, middle, times: [from, from + wide * width], say: panel.say, where: panel.at };
		const side = slowSideOf(metric);
		const { full, reach: most, noise } = scaleOf(reckoned, hovered, metric.unit);
		const reach = Math.max(most, metric.unit === '%' ? 100 : 0);
		const ends = endsOf({ full, reach, least: fullOfNoise(noise), middle: middle.subarray(0, wide), unit: metric.unit });
		canvas.style.setProperty('height', `${shown.length * high}px`);
		replace(node, el('div', { class: 'strip-rows' }, names, stripHover(canvas, () => ({ sheet: hovered, high }))),
			heatKey({ from: ends[0], to: ends[1], ramp: side }, words.silent));
		paintStrip(canvas, shown, wide, ratioTone(middle, full, side, reach, noise));
	}

	function summaryText({ metric, x }, reckoned) {
		const [least, greatest] = rangeOf(metric.unit, ...reckoned.extent());
		const odd = reckoned.odd.slice(0, NAMED).map(({ row, value }) => `${panel.names(row)} ${panel.say(value)}`);
		return [words.strip(panel.name, shown.length, words.over(x === '_step'), panel.say(least), panel.say(greatest)),
			words.stripOdd(odd.join(', '), reckoned.odd.length - NAMED)].join('; ');
	}

	function draw(sheet, reckoned) {
		node.hidden = !sheet;
		if (!sheet) return;
		named(reckoned.stood);
		canvas.setAttribute('aria-label', visible(summaryText(sheet, reckoned)));
		show(sheet, reckoned);
	}

	/* In pixels from the sides of the panel. */
	function lie(left, right) {
		node.style.setProperty('--left', `${left}px`);
		node.style.setProperty('margin-right', `${right}px`);
	}

	return { node, draw, nameRoom, lie };
}
