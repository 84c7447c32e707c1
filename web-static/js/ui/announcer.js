/*
 * What changes while one looks, said to those who do not see it: politely, what came together at once, and nothing more
 * until a while has passed. What was not said yet is merged by who collects it.
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
