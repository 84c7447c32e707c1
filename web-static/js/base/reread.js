/*
 * Reads again what changes: one reading at a time, and a rest after each. What is asked for while it reads is read after
 * it, because the answer under way may be older; what failed, or threw, is read again later. Where the tab is not seen
 * it waits until it is.
 */

const FAULT_MS = 5000;

/*
 * read(signal): a promise of the answer that failed, or of nothing; the signal ends with whoever wants it, and when it is
 * overtaken. restMs(took): from the end of a reading to the next, where the last one took so long.
 */
export function reread(read, restMs) {
	let readAt = -Infinity;
	let took = 0;
	let timer = 0;
	let dueAt = 0;
	let reading = null; /* what ends it */
	let isAsked = false;
	let isFailed = false;
	let isStopped = false;

	function ended(began, failed) {
		reading = null;
		readAt = performance.now();
		took = readAt - began;
		isFailed = Boolean(failed);
		if (isFailed || isAsked) soon();
	}

	/* Waits for no rest: what is under way is overtaken. */
	async function now() {
		drop();
		const mine = reading = new AbortController();
		const began = performance.now();
		let failed = true;
		isAsked = false;
		try {
			failed = await read(mine.signal);
		} finally {
			if (reading === mine) ended(began, failed);
		}
		return failed;
	}

	const seen = () => reading || isStopped || due();

	function due() {
		timer = 0;
		if (isTabHidden()) return whenTabVisible(seen);
		return now().catch((fault) => reportError(fault));
	}

	function soon() {
		isAsked = true;
		if (reading || isStopped) return;
		const at = Math.max(performance.now(), readAt + (isFailed ? FAULT_MS : restMs(took)));
		if (timer && dueAt <= at) return;
		clearTimeout(timer);
		dueAt = at;
		timer = setTimeout(due, at - performance.now());
	}

	function drop() {
		clearTimeout(timer);
		timer = 0;
		reading?.abort();
		reading = null;
	}

	return {
		now,
		/* Waits for no rest, but for what is under way. */
		next: () => reading ? soon() : now(),
		soon,
		stop() {
			isStopped = true;
			drop();
		},
	};
}

/* Failures after which a request is repeated: there was no answer, or the server could not. */
export const AGAIN_MS = 5000;

export function isTransient(fault) {
	return Boolean(fault) && (!fault.status || fault.status === 429 || fault.status >= 500);
}

/* If the tab is hidden, reads for display wait. */
export const isTabHidden = () => globalThis.document?.hidden === true;

/* Calls it once, when the tab, which is not seen now, is; asked for twice it is called once. */
export function whenTabVisible(then) {
	document.addEventListener('visibilitychange', then, { once: true });
}
