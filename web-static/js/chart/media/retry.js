/* Repeats what failed after a pause: the file of a value may be uploaded after its row. */

import { isTabHidden, whenTabVisible } from '../../base/reread.js';

const FIRST_MS = 5000;
const MOST_MS = 60000;

/*
 * make(failed): shows it, and calls failed() if it cannot be had. Gives {start, stop, forget}: start() shows it, unless it is shown; stop()
 * ends the wait for another try; after forget() it is shown no more.
 */
export function retried(make) {
	let timer = 0;
	let restMs = FIRST_MS;
	let isMade = false;
	let isStopped = true;

	function again() {
		timer = 0;
		if (isStopped || isMade) return;
		if (isTabHidden()) return void whenTabVisible(again);
		isMade = true;
		make(failed);
	}

	function failed() {
		isMade = false;
		if (isStopped || timer) return;
		timer = setTimeout(again, restMs);
		restMs = Math.min(MOST_MS, restMs * 2);
	}

	return {
		start() {
			isStopped = false;
			if (!timer) again();
		},
		stop() {
			isStopped = true;
			clearTimeout(timer);
			timer = 0;
		},
		forget() {
			isMade = false;
		},
	};
}
