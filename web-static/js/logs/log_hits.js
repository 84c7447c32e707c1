/*
 * The hits of a search, one after the other. Who asks for one before any is found is led to the first that is, unless
 * something else is wanted meanwhile.
 */

import { keyOf } from './log_line.js';
import { nextHit } from './log_search.js';

/* logs: the page, see pages/run_logs.js. */
export function logHits(logs) {
	let at = -1;
	let awaited = 0; /* the step that was asked for */

	async function go(step) {
		const { search } = logs;
		if (!search) return;
		awaited = search.hits.length || search.isDone || search.fault ? 0 : step;
		if (!search.hits.length) return;
		at = nextHit(search.hits, at, step, logs.list.first(), logs.order.placeOf);
		logs.pause();
		const line = search.hits[at];
		logs.bar.tell();
		logs.point(line);
		if (!logs.list.find(keyOf(line))) await logs.list.goTo(line, keyOf(line));
	}

	function leave() {
		awaited = 0;
	}

	return {
		at: () => at,
		go,
		leave,
		/* Starts again for another search. */
		begin() {
			at = -1;
			leave();
		},
		/* There may be the first ones. */
		came: () => awaited && go(awaited),
	};
}
