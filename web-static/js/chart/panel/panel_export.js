/*
 * Saves a panel as a file: as a picture of twice the size with title and legend, as seen or light, the same as SVG, or,
 * as CSV or lines of JSON, its buckets or the rows in them (exact_save.js).
 */

import { csvOf as tableAsCsv } from '../../base/csv.js';
import { css, el } from '../../base/dom.js';
import { dashOf, ink } from '../../base/palette.js';
import { visible } from '../../base/visible.js';
import { saveBlob } from '../../ui/save.js';
import { saveExact } from '../line/exact_save.js';
import { bandOf } from '../line/lines.js';
import { svgOf } from '../line/panel_svg.js';
import { STROKE, TITLE, inLight, jsonLines, textSavers } from './panel_file.js';
import { legendName } from './panel_words.js';

const ROW = 18;
const TIMES = 2; /* px of the picture for one */
const LEGEND = 24; /* lines that are named */

const HEAD = ['run', 'id', 'key', 'x', 'mean', 'smoothed', 'min', 'max', 'n', 'nan', 'inf'];

const MIDDLE = ['median', 'p10', 'p90']; /* of groups, where their lines are medians */

const AROUND = ['std', 'sem']; /* of groups, bands that lie around the mean */

/* Columns of groups beside those of all: [names, valuesOf(line)(at)] */
function ofGroups({ ones, look }) {
	if (ones.some(({ line }) => line.middle)) {
		return [MIDDLE, ({ mean, middle }) => (at) => middle ? [mean[at], middle.low[at], middle.high[at]] : [null, null, null]];
	}
	if (!AROUND.includes(look?.band) || !ones.some(({ line }) => line.isGroup)) return [[], () => () => []];
	return [['low', 'high'].map((side) => `${look.band}_${side}`), (line) => {
		const { low, high } = line.isGroup ? bandOf(line, look.band) : { low: [], high: [] };
		return (at) => [low[at] ?? null, high[at] ?? null];
	}];
}

function headOf(panel) {
	return [...HEAD, ...ofGroups(panel)[0]];
}

/* The buckets that are drawn, the mean as it is and the line as it is smoothed; by the names of the head. */
export function rowsOf(panel) {
	const [, valuesOf] = ofGroups(panel);
	return panel.ones.flatMap(({ line, smooth }) => {
		const more = valuesOf(line);
		return line.x.map((x, at) => x === null ? null : [line.run, line.who, line.key, x,
			(line.middle ? line.means : line.mean)[at], smooth[at] ?? null, line.min[at], line.max[at], line.n[at], line.nan[at],
			line.pinf[at] + line.ninf[at], ...more(at)]).filter(Boolean);
	});
}

export function csvOf(panel) {
	return tableAsCsv(headOf(panel).map((name) => name === 'x' ? panel.data.x : name), rowsOf(panel));
}

export function linesOfJson(panel) {
	return jsonLines(headOf(panel), rowsOf(panel));
}

export function writeLegend(ctx, lines, width, top) {
	ctx.lineWidth = 3;
	lines.forEach((line, at) => {
		const y = top + at * ROW;
		ctx.strokeStyle = ink(line);
		ctx.setLineDash(dashOf(line));
		ctx.beginPath();
		ctx.moveTo(12, y - 4);
		ctx.lineTo(12 + STROKE, y - 4);
		ctx.stroke();
		ctx.fillStyle = css('--text-2');
		ctx.fillText(visible(legendName(line)), 18 + STROKE, y, width - 30 - STROKE);
	});
	ctx.setLineDash([]);
}

/* uPlot draws as finely as the screen does: on its first canvas here as finely as the picture. */
function refine(plot) {
	const more = TIMES / devicePixelRatio;
	if (more <= 1) return;
	plot.hooks.drawClear = [({ ctx }) => {
		const { width, height } = ctx.canvas;
		Object.assign(ctx.canvas, { width: width * more, height: height * more });
		ctx.scale(more, more);
	}];
}

/* plot: one like that of the panel. */
function canvasOf({ name, shown }, plot) {
	const lines = shown.slice(0, LEGEND);
	const { width, height } = plot;
	const canvas = el('canvas', { width: width * TIMES, height: (height + TITLE + lines.length * ROW + 8) * TIMES });
	const ctx = canvas.getContext('2d');
	ctx.scale(TIMES, TIMES);
	ctx.fillStyle = css('--surface');
	ctx.fillRect(0, 0, width, canvas.height);
	ctx.fillStyle = css('--text');
	ctx.font = `600 13px ${css('--font')}`;
	ctx.fillText(visible(name), 12, 19, width - 24);
	ctx.drawImage(plot.ctx.canvas, 0, TITLE, width, height);
	ctx.font = `12px ${css('--font')}`;
	writeLegend(ctx, lines, width, TITLE + height + 12);
	return canvas;
}

const savePicture = ({ name }, canvas) => canvas.toBlob((blob) => saveBlob(blob, `${name}.png`));

/* uPlot draws what was made when the microtasks before it are done. */
async function picture(panel) {
	const plot = panel.made(panel.plot.data, panel.shape(), el('div'));
	refine(plot);
	await null;
	const canvas = canvasOf(panel, plot);
	plot.destroy();
	return canvas;
}

const SAVES = {
	png: async (panel) => savePicture(panel, await picture(panel)),
	light: async (panel) => savePicture(panel, await inLight(() => picture(panel))),
	csvRows: (panel) => saveExact(panel, 'csv'),
	ndjsonRows: (panel) => saveExact(panel, 'ndjson'),
	...textSavers({ svg: (panel) => svgOf(panel, LEGEND), csv: csvOf, ndjson: linesOfJson }),
};

/* By the word on the button; the panel is drawn. */
export const saveAs = (name, panel) => SAVES[name](panel);
