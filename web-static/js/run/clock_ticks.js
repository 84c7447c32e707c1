/* Marks of a line of time. */

import { el } from '../base/dom.js';
import { clock, day, zoneOf } from '../base/moments.js';

const LAST = 0.96; /* behind it none begins */
const TURNED = 0.8; /* from there on a label is before its mark, where there is room for it */
const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800,
	604800, 2592000, 31536000];

/* Round times between two moments in milliseconds, at most `count`: [{share, label}]. */
export function clockTicks(from, to, count) {
	const size = STEPS_S.find((step) => (to - from) / 1000 / step <= count) || STEPS_S[STEPS_S.length - 1];
	const zone = zoneOf(from) * 60;
	const first = Math.ceil((from / 1000 - zone) / size) * size + zone;
	const ticks = [];
	for (let at = first * 1000; at <= from + (to - from) * LAST; at += size * 1000) {
		ticks.push({ share: (at - from) / (to - from), label: size >= 86400 ? day(at) : clock(at, size < 60) });
	}
	return ticks;
}

export function tickNode({ share, label }) {
	const side = share > TURNED ? { right: `${(1 - share) * 100}%` } : { left: `${share * 100}%` };
	return el('span', { class: share > TURNED ? 'before' : null, style: side }, label);
}
