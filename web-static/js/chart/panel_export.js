/* What a panel shows, as a file: a picture of twice the size with title and legend, or the buckets as CSV. */

import { css, el } from '../dom.js';
import { ink } from './palette.js';

const TITLE = 28;
const ROW = 18;

function save(blob, name) {
	const href = URL.createObjectURL(blob);
	const link = el('a', { href, download: name.replaceAll('/', '_') });
	link.click();
	setTimeout(() => URL.revokeObjectURL(href), 60000);
}

function quoted(value) {
	const text = value === null || value === undefined ? '' : String(value);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/* The buckets that are drawn, the mean as it is and as it is smoothed. */
export function csvOf({ data, ones }) {
	const head = ['run', 'id', data.x, 'mean', 'smoothed', 'min', 'max', 'n', 'nan', 'inf'];
	const rows = ones.flatMap(({ line, smooth }) => line.x.map((x, at) => x === null ? null
		: [line.name, line.id, x, line.mean[at], smooth[at], line.min[at], line.max[at], line.n[at], line.nan[at], line.pinf[at] + line.ninf[at]]));
	return [head, ...rows.filter(Boolean)].map((row) => row.map(quoted).join(',')).join('\r\n') + '\r\n';
}

export function saveCsv(panel) {
	save(new Blob([csvOf(panel)], { type: 'text/csv' }), `${panel.name}.csv`);
}

function writeLegend(ctx, lines, width, top) {
	lines.forEach((line, at) => {
		const y = top + at * ROW;
		ctx.fillStyle = ink(line);
		ctx.fillRect(12, y - 5, 14, 3);
		ctx.fillStyle = css('--text-2');
		ctx.fillText(line.name, 32, y, width - 44);
	});
}

export function savePng({ plot, name, data }) {
	const lines = data.lines.slice(0, 24);
	const { width, height } = plot;
	const canvas = el('canvas', { width: width * 2, height: (height + TITLE + lines.length * ROW + 8) * 2 });
	const ctx = canvas.getContext('2d');
	ctx.scale(2, 2);
	ctx.fillStyle = css('--surface');
	ctx.fillRect(0, 0, width, canvas.height);
	ctx.fillStyle = css('--text');
	ctx.font = `600 13px ${css('--font')}`;
	ctx.fillText(name, 12, 19, width - 24);
	ctx.drawImage(plot.ctx.canvas, 0, TITLE, width, height);
	ctx.font = `12px ${css('--font')}`;
	writeLegend(ctx, lines, width, TITLE + height + 12);
	canvas.toBlob((blob) => save(blob, `${name}.png`));
}
