/*
 * Reads anew what changes: one reading at a time, and a rest after each. What is asked for while it reads is read after
 * it, because the answer under way may be older; what failed is read again later. Where the tab is not seen it waits
 * until it is.
 */

import { isUnseen, whenSeen } from './seen.js';

const FAULT_MS = 5000;

/* read(): a promise of the answer that failed, or of nothing. restMs(): from the end of a reading to the next. */
export function reread(read, restMs) {
	let readAt = -Infinity;
	let timer = 0;
	let isReading = false;
	let isAsked = false;
	let isStopped = false;

	async function now() {
		clearTimeout(timer);
		timer = 0;
		isAsked = false;
		isReading = true;
		let failed = null;
		try {
			failed = await read();
		} finally {
			isReading = false;
			readAt = performance.now();
		}
		if (failed) soon(FAULT_MS);
		else if (isAsked) soon();
		return failed;
	}

	const seen = () => soon();

	function due() {
		timer = 0;
		if (isUnseen()) return whenSeen(seen);
		return now();
	}

	function soon(ms = restMs()) {
		if (isReading) isAsked = true;
		else if (!isStopped) timer ||= setTimeout(due, Math.max(0, readAt + ms - performance.now()));
	}

	return {
		now,
		soon: () => soon(),
		stop() {
			isStopped = true;
			clearTimeout(timer);
		},
	};
}
