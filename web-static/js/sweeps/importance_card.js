/* Which parameters matter: their importance, and the rank correlation with the metric. */

import { el } from '../base/dom.js';
import { number } from '../base/format.js';
import { table } from '../run/card.js';
import { text as common } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { card } from '../ui/controls.js';
import { redrawn } from '../ui/redrawn.js';

const words = text.sweep;
const percent = (share) => `${Math.round(share * 100)} %`;

function bar(share, look = '') {
	return el('span', { class: `importance-bar ${look}`, 'aria-hidden': 'true' }, el('i', { style: { width: `${Math.abs(share) * 100}%` } }));
}

export function importanceCard(feed) {
	const part = redrawn(() => [feed.importance, feed.sweep.metric], () => {
		const { trials, parameters } = feed.importance;
		const known = parameters.some(({ importance }) => importance > 0);
		if (!known) return el('p', { class: 'note' }, words.noImportance);
		return [table(words.importance, [[words.parameter], [words.importance], [words.correlation]], parameters.map(({ name, importance, correlation }) => el('tr', {},
			el('th', { scope: 'row' }, el('bdi', { class: 'clip', title: name }, name)),
			el('td', {}, bar(importance), percent(importance)),
			el('td', {}, correlation === null ? common.none : [bar(correlation, correlation < 0 ? 'negative' : ''), number(Number(correlation.toFixed(2)))])))),
		el('p', { class: 'note' }, words.importanceHow(trials))];
	});
	part.node.classList.add('importance-body');
	return { node: card(words.importance, null, part.node), update: part.update };
}
