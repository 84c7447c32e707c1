/* Files of panels of all kinds: a picture in SVG with the panel's name on top, and rows as lines of JSON. */

import { css, svg } from '../../base/dom.js';
import { saveText } from '../../ui/save.js';

export const TITLE = 28;
export const STROKE = 18; /* px of a line beside its name: of a dashed one two dashes */

export function svgText({ name, width, height }, ...parts) {
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
		parts,
	);
	return asXml(new XMLSerializer().serializeToString(node));
}

/* Names of runs have what XML cannot say: control characters, halves of pairs. */
export function asXml(text) {
	return text.toWellFormed().replace(/[^\t\n\r\u{20}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}');
}

/*
 * draw() with the colours of the light theme. It waits for no more than microtasks, so that the page is painted in its
 * own again.
 */
export async function inLight(draw) {
	const looks = document.documentElement.dataset;
	const { theme } = looks;
	looks.theme = 'light';
	try {
		return await draw();
	} finally {
		looks.theme = theme;
	}
}

export function jsonLines(head, rows) {
	return rows.map((row) => `${JSON.stringify(Object.fromEntries(head.map((name, at) => [name, row[at]])))}\n`).join('');
}

/* The files of a kind that are texts; each is made of a panel that is drawn. */
export const textSavers = ({ svg: svgOf, csv, ndjson }) => ({
	svg: (panel) => saveText(svgOf(panel), 'image/svg+xml', `${panel.name}.svg`),
	csv: (panel) => saveText(csv(panel), 'text/csv', `${panel.name}.csv`),
	ndjson: (panel) => saveText(ndjson(panel), 'application/x-ndjson', `${panel.name}.ndjson`),
});
