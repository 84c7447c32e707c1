/*
 * Announces changes to users of screen readers: politely, with changes of one moment in one message, and then nothing
 * until a while has passed. The collector merges what was not announced yet.
 */

import { el, replace } from '../base/dom.js';

const SOON_MS = 500; /* what comes together is said together */
const REST_MS = 10_000;

/* collect(): the words of all that is new, '' of nothing. {node, note(), stop()}; note() where something may be new. */
export function announcer(collect) {
	const node = el('div', { class: 'sr', 'aria-live': 'polite' });
	let timer = 0;
	let until = 0;

	function say() {
		timer = 0;
		const words = collect();
		if (!words) return;
		until = Date.now() + REST_MS;
		replace(node, el('p', {}, words));
	}

	return {
		node,
		note() {
			timer ||= setTimeout(say, Math.max(SOON_MS, until - Date.now()));
		},
		stop: () => clearTimeout(timer),
	};
}
