/* Cells of two binned parameters, as SVG: the stronger the colour, the better the median. */

import { svg } from '../base/dom.js';
import { number } from '../base/format.js';
import { paint } from '../base/palette.js';
import { axesOf, mostTicks } from './point_plot.js';

const GAP = 1;
const LETTER_PX = 7;

/* Labels in the middle of their bins, as many as there is room for. */
function binScale(labels, most) {
	const every = Math.ceil(labels.length / Math.max(1, most));
	return { ticks: labels.map((label, at) => ({ at: (at + 0.5) / labels.length, label })).filter((_, at) => at % every === 0) };
}

const ticksFor = (labels, room) => Math.floor(room / (Math.max(...labels.map((label) => label.length)) * LETTER_PX + 8));

/* heat: of heatOf; shares: of its cells, 0 to 100 or null; words(cell): what its title says. Each cell has its number as data-run. */
export function heatPlot({ heat, shares, x, y, width, height, label, words }) {
	const scales = { x: binScale(heat.xs, ticksFor(heat.xs, width - 80)), y: binScale(heat.ys, mostTicks(width, height).y) };
	const { along, up, nodes } = axesOf({ x: { ...x, scale: scales.x }, y: { ...y, scale: scales.y }, width, height, hasGrid: false });
	const [columns, rows] = [heat.xs.length, heat.ys.length];
	const cells = heat.cells.map((cell, at) => {
		const [left, right] = [along(cell.x / columns), along((cell.x + 1) / columns)];
		const [bottom, top] = [up(cell.y / rows), up((cell.y + 1) / rows)];
		return svg('rect', { class: 'heat-cell', 'data-run': at, x: left + GAP, y: top + GAP, width: Math.max(1, right - left - 2 * GAP), height: Math.max(1, bottom - top - 2 * GAP),
			style: { fill: paint({ color: `tint-${shares[at]}` }) } }, svg('title', {}, words(cell)));
	});
	return svg('svg', { class: 'plot-svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label }, nodes, cells);
}

export const rangeWords = (values) => values.length === 1 ? number(values[0]) : `${number(Math.min(...values))}–${number(Math.max(...values))}`;
