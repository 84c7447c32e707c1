/* Describes a file that no viewer of the page draws: a plot by its title and traces, a text by its first lines. */

import { ask } from '../../api.js';
import { askPart } from '../../api_forms.js';
import { el, replace } from '../../base/dom.js';
import { count } from '../../base/format.js';
import { isBinary } from '../../files/kind.js';
import { text } from '../../text/media.js';
import { plotOf } from './plot.js';

const words = text.media;
const PLOT_BYTES = 8 << 20;
const HEAD_BYTES = 1024;
const LINES = 8;
const TRACES = 8;

function plotNode(plot) {
	const { title, traces } = plot;
	return [el('p', {}, title || words.noTitle), el('ul', {},
		traces.slice(0, TRACES).map(({ kind, name, points }) => el('li', { dir: 'auto' }, words.trace(kind, name, points === null ? null : count(points)))),
		traces.length > TRACES && el('li', { class: 'muted' }, words.moreTraces(count(traces.length - TRACES))))];
}

async function readPlot(path, failed) {
	const answer = await ask('GET', path);
	if (answer.status !== 200) return failed();
	const plot = plotOf(answer.body);
	return plot ? plotNode(plot) : el('p', { class: 'muted' }, words.noPreview);
}

async function readHead(path, failed) {
	const { status, bytes } = await askPart(path, 0, HEAD_BYTES);
	if (status !== 200) return failed();
	if (isBinary(bytes)) return el('p', { class: 'muted' }, words.noPreview);
	const lines = new TextDecoder().decode(bytes).split('\n');
	return el('pre', { class: 'media-head', tabindex: 0, dir: 'auto' }, lines.slice(0, LINES).join('\n'));
}

/* found: {item, files}; failed(): the file cannot be had. */
export function filePreview({ item, files }, { failed }) {
	const node = el('div', { class: 'media-preview' });
	const path = files.pathOf(item.path);
	const isPlot = item._type === 'plotly-file';
	if (isPlot && item.size > PLOT_BYTES) return replace(node, el('p', { class: 'muted' }, words.largeFile));
	(isPlot ? readPlot : readHead)(path, failed).then((made) => made && replace(node, made));
	return node;
}
