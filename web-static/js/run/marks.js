/*
 * Reads what is marked soon: several marks at once, one read at a time. A mark that must rest waits and is not
 * forgotten; a read that failed is tried again later. While the tab is not visible, everything waits.
 */

import { isTabHidden, whenTabVisible } from '../base/reread.js';

const GATHER_MS = 250; /* what changes at the same time is read once */
const FAULT_MS = 5000;

/* restOf(name): milliseconds until it may be read; read(names) returns those to be tried again; told() is called after each. */
export function marks({ restOf, read, told }) {
	let dirty = new Set();
	let timer = null;
	let dueAt = 0;
	let isReading = false;

	function schedule(least = GATHER_MS) {
		if (isReading || !dirty.size) return;
		const wait = Math.max(least, Math.min(...[...dirty].map(restOf)));
		const at = performance.now() + wait;
		if (timer !== null && dueAt <= at) return;
		clearTimeout(timer);
		dueAt = at;
		timer = setTimeout(due, wait);
	}

	function mark(names) {
		for (const name of names) dirty.add(name);
		schedule();
	}

	const seen = () => schedule();

	function due() {
		timer = null;
		return isTabHidden() ? whenTabVisible(seen) : refresh();
	}

	/* Reads what is marked. Marks that come during the read are read next. */
	async function refresh() {
		const names = [...dirty].filter((name) => restOf(name) <= 0);
		names.forEach((name) => dirty.delete(name));
		isReading = true;
		const again = await read(names).catch((fault) => {
			reportError(fault);
			return names;
		});
		isReading = false;
		again.forEach((name) => dirty.add(name));
		told();
		schedule(again.length ? FAULT_MS : GATHER_MS);
	}

	function stop() {
		clearTimeout(timer);
		timer = null;
		dirty = new Set();
	}

	return { mark, stop };
}
