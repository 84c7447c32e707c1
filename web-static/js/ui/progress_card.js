/*
 * A card that says how far something is that is read to its end, and stops it. What is there soon is not announced:
 * with `after` the card comes when so many milliseconds have gone.
 */

import { el } from '../base/dom.js';
import { text } from '../text/common.js';
import { button } from './controls.js';
import { dialog } from './dialog.js';

const SAID_MS = 1000;

/* {signal: aborted when it was stopped, tell, end} */
export function progressCard(title, { after = 0 } = {}) {
	const ends = new AbortController();
	const bar = el('progress', { 'aria-label': title });
	const [now, said] = [el('p', { 'aria-hidden': 'true' }), el('p', { class: 'sr', role: 'status' })];
	const stop = button(text.controls.stop, { onclick: () => card.close() });
	let card = null;
	let saidAt = -Infinity;

	function open() {
		card ??= dialog(title, el('div', {}, bar, now, said), { actions: stop, onclose: () => ends.abort() });
	}

	const timer = setTimeout(open, after);
	if (!after) open();
	return {
		signal: ends.signal,
		/* done of max, where that is known. What is seen at once is said once a second. */
		tell(line, done, max) {
			if (max) Object.assign(bar, { max, value: done });
			now.replaceChildren(line);
			if (performance.now() - saidAt < SAID_MS) return;
			saidAt = performance.now();
			said.replaceChildren(line);
		},
		/* With something to read it stays. */
		end(...lines) {
			clearTimeout(timer);
			if (!lines.some(Boolean)) return card?.close();
			open();
			for (const node of [bar, now]) node.remove();
			said.classList.remove('sr');
			said.replaceChildren(lines.filter(Boolean).join(' '));
			return stop.replaceChildren(text.controls.close);
		},
	};
}
