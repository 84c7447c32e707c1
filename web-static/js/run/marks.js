/*
 * What is marked is read soon, several marks at once and one reading at a time. What must rest waits and is not
 * forgotten; what could not be read is tried again later. Where the tab is not seen all waits until it is.
 */

import { isUnseen, whenSeen } from '../base/reread.js';

const GATHER_MS = 250; /* what changes at the same time is read once */
const FAULT_MS = 5000;

/* restOf(name): milliseconds until it may be read; read(names) gives those to be tried again; told() after each. */
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
		return isUnseen() ? whenSeen(seen) : refresh();
	}

	/* What is marked meanwhile is read next. */
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
