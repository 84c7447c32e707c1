/* A panel of runs as a file: its picture as it is seen or light, or the values as CSV or lines of JSON. */

import { csvOf } from '../../base/csv.js';
import { el, svg } from '../../base/dom.js';
import { text } from '../../text/panels.js';
import { saveBlob } from '../../ui/save.js';
import { toast } from '../../ui/toast.js';
import { inLight, jsonLines, svgText, textSavers, TITLE } from '../panel/panel_file.js';

const LOOKS = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'opacity', 'font-size', 'font-weight'];

/* Programs that draw files know no other form of what colours mixed by the page are. */
function plain(value) {
	return value.replace(/color\(srgb ([^ )]+) ([^ )]+) ([^ )]+)\)/,
		(_, ...parts) => `rgb(${parts.slice(0, 3).map((part) => Math.round(part * 255)).join(', ')})`);
}

/* Styles of the page are not in the file, so each part says its own. */
function copied(node) {
	const copy = node.cloneNode(true);
	const parts = [...copy.querySelectorAll('*')];
	[...node.querySelectorAll('*')].forEach((one, at) => {
		const looks = getComputedStyle(one);
		parts[at].removeAttribute('style');
		for (const name of LOOKS) parts[at].setAttribute(name, plain(looks.getPropertyValue(name)));
	});
	for (const faded of copy.querySelectorAll('.faded')) faded.removeAttribute('opacity');
	return [...copy.childNodes];
}

export function svgOf({ plot, name }) {
	const [width, high] = ['width', 'height'].map((side) => Number(plot.getAttribute(side)));
	return svgText({ name, width, height: high + TITLE }, svg('g', { transform: `translate(0 ${TITLE})` }, copied(plot)));
}

export function tableOf({ rows: { head, rows } }) {
	return csvOf(head, rows);
}

export function linesOfJson({ rows: { head, rows } }) {
	return jsonLines(head, rows);
}

const PIXELS = 2; /* to one of the page */

async function imageOf(text) {
	const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
	const image = new Image();
	image.src = url;
	return image.decode().then(() => image).finally(() => URL.revokeObjectURL(url));
}

/* The same picture, which an image of the page draws; null where a browser cannot. */
async function pngOf(picture) {
	const image = await imageOf(picture);
	const canvas = el('canvas', { width: image.width * PIXELS, height: image.height * PIXELS });
	canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
	return new Promise((resolve) => { canvas.toBlob(resolve); });
}

async function savePng({ name }, picture) {
	const blob = await pngOf(picture).catch(() => null);
	if (blob) saveBlob(blob, `${name}.png`);
	else toast(text.panels.noPicture);
}

async function saveLight(panel) {
	const picture = await inLight(() => {
		panel.drawNow();
		return svgOf(panel);
	});
	panel.drawNow();
	return savePng(panel, picture);
}

const SAVES = {
	png: (panel) => savePng(panel, svgOf(panel)),
	light: saveLight,
	...textSavers({ svg: svgOf, csv: tableOf, ndjson: linesOfJson }),
};

/* By the word on the button; the panel is drawn: its `plot` is an SVG, its `rows` are {head, rows} of what is in it. */
export const saveAs = (name, panel) => SAVES[name](panel);
