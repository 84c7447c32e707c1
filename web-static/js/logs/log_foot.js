/* Below the lines of a run: how many are shown, their order, whether they are followed, how many arrive a second. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/logs.js';

const words = text.logs;

/* logs: the page, see pages/run_logs.js. */
export function logFoot(logs) {
	const total = el('span', {});
	const ordered = el('span', {});
	const paused = el('span', {});
	const rate = el('span', { class: 'state' });

	/* Counts the lines of the shown labels and stream, or the matches if only these are shown. */
	function totalText() {
		const { lines, labels } = logs.shownCounts();
		const all = words.total([count(lines), count(logs.lines)], [count(labels), count(logs.rows.length)]);
		return logs.only && logs.search ? words.matches(count(logs.search.hits.length), logs.search.isDone, all) : all;
	}

	return {
		node: el('footer', { class: 'log-foot' }, total, ordered, el('span', { class: 'grow' }), paused, rate),
		tell() {
			const { isNone, one } = logs.scope;
			total.textContent = isNone ? words.nonePicked : totalText();
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
