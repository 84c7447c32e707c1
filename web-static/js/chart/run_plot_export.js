/* A panel of runs as a file: its picture as SVG, as it is seen, or the values as CSV or lines of JSON. */

import { css, svg } from '../dom.js';
import { saveText } from '../parts/save.js';
import { csvOf } from '../runs/csv.js';

const TITLE = 28;
const LOOKS = ['fill', 'stroke', 'stroke-width', 'opacity', 'font-size', 'font-weight'];

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

const headOf = ({ keys }) => ['run', 'id', ...keys];
const rowsOf = ({ runs }) => runs.map(({ id, name, values }) => [name, id, ...values.map((value) => value ?? null)]);

export function tableOf({ data }) {
	return csvOf(headOf(data), rowsOf(data));
}

export function linesOfJson({ data }) {
	const head = headOf(data);
	return rowsOf(data)
		.map((row) => `${JSON.stringify(Object.fromEntries(head.map((name, at) => [name, row[at]])))}\n`)
		.join('');
}

/* By the words on their buttons. Each saves a panel that is drawn. */
export const RUN_SAVES = {
	svg: (panel) => saveText(svgOf(panel), 'image/svg+xml', `${panel.name}.svg`),
	csv: (panel) => saveText(tableOf(panel), 'text/csv', `${panel.name}.csv`),
	ndjson: (panel) => saveText(linesOfJson(panel), 'application/x-ndjson', `${panel.name}.ndjson`),
};
