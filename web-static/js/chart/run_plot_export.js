/* A panel of runs as a file: its picture as SVG, as it is seen, or the values as CSV or lines of JSON. */

import { css, el, svg } from '../dom.js';
import { saveBlob, saveText } from '../parts/save.js';
import { csvOf } from '../runs/csv.js';

const TITLE = 28;
const LOOKS = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'opacity', 'font-size', 'font-weight'];

/* Styles of the page are not in the file, so each part says its own. */
function copied(node) {
	const copy = node.cloneNode(true);
	const parts = [...copy.querySelectorAll('*')];
	[...node.querySelectorAll('*')].forEach((one, at) => {
		const looks = getComputedStyle(one);
		parts[at].removeAttribute('style');
		for (const name of LOOKS) parts[at].setAttribute(name, looks.getPropertyValue(name));
	});
	for (const faded of copy.querySelectorAll('.faded')) faded.removeAttribute('opacity');
	return [...copy.childNodes];
}

export function svgOf({ plot, name }) {
	const [width, high] = ['width', 'height'].map((side) => Number(plot.getAttribute(side)));
	const height = high + TITLE;
	const node = svg(
		'svg',
		{
			xmlns: 'http://www.w3.org/2000/svg',
			viewBox: `0 0 ${width} ${height}`,
			width,
			height,
			'font-family': css('--font'),
		},
		svg('rect', { width, height, fill: css('--surface') }),
		svg('text', { x: 12, y: 19, fill: css('--text'), 'font-size': 13, 'font-weight': 600 }, name),
		svg('g', { transform: `translate(0 ${TITLE})` }, copied(plot)),
	);
	return new XMLSerializer().serializeToString(node);
}

export function tableOf({ rows: { head, rows } }) {
	return csvOf(head, rows);
}

export function linesOfJson({ rows: { head, rows } }) {
	return rows
		.map((row) => `${JSON.stringify(Object.fromEntries(head.map((name, at) => [name, row[at]])))}\n`)
		.join('');
}

const PIXELS = 2; /* to one of the page */

/* The same picture, which an image of the page draws. */
async function savePng(panel) {
	const url = URL.createObjectURL(new Blob([svgOf(panel)], { type: 'image/svg+xml' }));
	const image = new Image();
	image.src = url;
	await image.decode();
	URL.revokeObjectURL(url);
	const canvas = el('canvas', { width: image.width * PIXELS, height: image.height * PIXELS });
	canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
	canvas.toBlob((blob) => saveBlob(blob, `${panel.name}.png`));
}

/*
 * By the words on their buttons. Each saves a panel that is drawn: its `plot` is an SVG, its `rows` are {head, rows} of
 * what is in it.
 */
export const RUN_SAVES = {
	png: savePng,
	svg: (panel) => saveText(svgOf(panel), 'image/svg+xml', `${panel.name}.svg`),
	csv: (panel) => saveText(tableOf(panel), 'text/csv', `${panel.name}.csv`),
	ndjson: (panel) => saveText(linesOfJson(panel), 'application/x-ndjson', `${panel.name}.ndjson`),
};
