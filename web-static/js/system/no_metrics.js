/* A run without system metrics says how they come. */

import { el } from '../base/dom.js';
import { text } from '../text/system.js';

const words = text.system;

export function noMetrics({ run }) {
	return el('section', { class: 'card no-metrics', 'aria-label': words.none },
		el('header', {}, el('h2', {}, words.none)),
		el('div', { class: 'body' }, el('p', {}, words.noneWhy),
			el('dl', {}, words.noneHow.map(([command, what]) => [el('dt', {}, el('code', {}, command)), el('dd', {}, what)])),
			!run.ended_at && el('p', { class: 'muted' }, words.noneYet)));
}
