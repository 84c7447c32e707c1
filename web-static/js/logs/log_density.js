/* Lines over time as bars, errors red, with a mark of what the list shows. Clicking or the arrow keys go to a time. */

import { el, replace } from '../base/dom.js';
import { count } from '../base/format.js';
import { localClock, localMoment } from '../base/moments.js';
import { text } from '../text/logs.js';

const words = text.logs;

export const BUCKETS = 180;

function bar(lines, errors, top) {
	const share = (n) => `${(n / top * 100).toFixed(1)}%`;
	const least = (n) => n ? `max(1px, ${share(n)})` : '0';
	return el('i', {}, el('u', { style: { height: least(errors) } }),
		el('b', { style: { height: least(lines - errors) } }));
}

export function logDensity(onpick) {
	const bars = el('div', { class: 'bars', 'aria-hidden': 'true' });
	const mark = el('span', { class: 'window', hidden: true });
	const node = el('div',
		{ class: 'density', role: 'slider', tabindex: 0, 'aria-label': words.density, 'aria-valuemin': 0,
		'aria-valuemax': BUCKETS - 1,
		'aria-valuenow': 0 }, bars, mark);
	let shown = null;
	let at = 0;

	function timeAt(bucket) {
		return shown.time_first + (shown.time_last - shown.time_first) * bucket / BUCKETS;
	}

	function say() {
		node.setAttribute('aria-valuenow', at);
		node.setAttribute('aria-valuetext', shown?.time_first == null ? words.none
			: words.densityAt(localClock(timeAt(at) * 1000), count(shown.lines[at]), count(shown.errors[at])));
	}

	function pick(bucket) {
		if (shown?.time_first == null) return;
		at = Math.max(0, Math.min(BUCKETS - 1, bucket));
		say();
		onpick(timeAt(at));
	}

	function press(event) {
		const step = event.shiftKey ? 10 : 1;
		const to = { ArrowRight: at + step, ArrowLeft: at - step, PageUp: at + 10, PageDown: at - 10, Home: 0 }[event.key];
		if (to === undefined) return;
		event.preventDefault();
		pick(to);
	}

	function point(event) {
		const box = bars.getBoundingClientRect();
		pick(Math.floor((event.clientX - box.left) / box.width * BUCKETS));
	}

	node.addEventListener('click', point);
	node.addEventListener('keydown', press);
	node.addEventListener('mousemove', (event) => {
		const box = bars.getBoundingClientRect();
		const bucket = Math.max(0, Math.min(BUCKETS - 1, Math.floor((event.clientX - box.left) / box.width * BUCKETS)));
		if (shown?.time_first == null) return;
		node.title = words.densityAt(localMoment(timeAt(bucket) * 1000), count(shown.lines[bucket]),
			count(shown.errors[bucket]));
	});

	return {
		node,
		draw(density) {
			shown = density;
			const top = Math.max(1, ...density.lines);
			replace(bars, density.lines.map((lines, i) => bar(lines, density.errors[i], top)));
			say();
		},
		/* [from, to] in seconds, or null. */
		window(range) {
			const span = shown?.time_first == null ? 0 : shown.time_last - shown.time_first;
			mark.hidden = !range || span <= 0;
			if (mark.hidden) return;
			const share = (time) => Math.max(0, Math.min(1, (time - shown.time_first) / span));
			mark.style.setProperty('--from', share(range[0]));
			mark.style.setProperty('--to', share(range[1]));
			at = Math.min(BUCKETS - 1, Math.floor(share(range[0]) * BUCKETS));
			say();
		},
		/* About when the n-th line of all came. */
		timeOf(n) {
			if (shown?.time_first == null) return null;
			let before = 0;
			for (let i = 0; i < BUCKETS; i++) {
				if (before + shown.lines[i] >= n) return timeAt(i + (n - before) / (shown.lines[i] || 1));
				before += shown.lines[i];
			}
			return shown.time_last;
		},
	};
}
