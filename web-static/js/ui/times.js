/* Moments as ages, with the moment itself on hover. They count by themselves, by the server's clock. */

import { serverNow } from '../base/clock.js';
import { el, setText } from '../base/dom.js';
import { age } from '../base/format.js';
import { zonedMoment } from '../base/moments.js';
import { text } from '../text/common.js';

const TICK_MS = 1000;

function draw(node) {
	const since = age((serverNow() - Date.parse(node.dateTime)) / 1000);
	setText(node, node.dataset.ago === 'short' ? since : text.ago(since));
}

function tick() {
	if (!document.hidden) document.querySelectorAll('time[data-ago]').forEach(draw);
}

let timer = 0;

/* look 'short': without "ago", where a column says it. */
export function ago(moment, look = '') {
	if (!moment) return el('span', { class: 'muted' }, text.none);
	const node = el('time', { datetime: moment, 'data-ago': look || true, title: zonedMoment(moment) });
	timer ||= setInterval(tick, TICK_MS);
	draw(node);
	return node;
}
