/* Below the lines of a run: how many there are and in which order they stand, whether they are followed, how many come. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/logs.js';

const words = text.logs;

/* logs: the page, see pages/run_logs.js. */
export function logFoot(logs) {
	const told = el('span', {});
	const ordered = el('span', {});
	const paused = el('span', {});
	const rate = el('span', { class: 'state' });

	return {
		node: el('footer', { class: 'log-foot' }, told, ordered, el('span', { class: 'grow' }), paused, rate),
		tell() {
			const { isNone, one } = logs.scope;
			told.textContent = isNone ? words.nonePicked : words.total(count(logs.lines), count(logs.rows.length));
			const order = one === null ? words.ordered[logs.order.name] : words.byNumber;
			ordered.textContent = isNone ? '' : order;
			const atEnd = logs.run?.run?.ended_at ? words.atEnd : words.following;
			const follows = logs.isFollowing ? atEnd : words.paused;
			paused.textContent = isNone ? '' : follows;
			const perSecond = logs.news.perSecond();
			rate.textContent = perSecond ? words.rate(perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond))) : '';
		},
	};
}
