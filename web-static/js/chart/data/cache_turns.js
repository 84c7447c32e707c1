/*
 * Questions to the cache of a page (series_cache.js), one at a time: of what is behind the next one is asked some time after
 * the one before, and the later the longer answers take. A question that is asked meanwhile comes into its place.
 */

const PAUSE = 4; /* times as long as an answer took */

/* isDue(): something is behind; next(): asks for it; leastMs(): from one question to the next; answered(): one was. */
export function cacheTurns(cache, { isDue, next, leastMs, answered = () => {} }) {
	let timer = 0;
	let cancel = null;
	let isAsking = false;
	let askedAt = -Infinity;
	let took = 0;

	function rest() {
		cancel?.();
		cancel = null;
		isAsking = false;
		clearTimeout(timer);
		timer = 0;
	}

	function soon() {
		if (timer || isAsking || !isDue()) return;
		const at = askedAt + Math.max(leastMs(), PAUSE * took);
		timer = setTimeout(() => {
			timer = 0;
			next();
		}, Math.max(0, at - performance.now()));
	}

	/* Ends the question, unless the answer may be old: a newer one follows. */
	function done(got) {
		if (got.isOld) return;
		isAsking = false;
		took = performance.now() - askedAt;
		answered();
		soon();
	}

	return {
		/* listener(what came, done): done is called when it is in its place. */
		want(question, listener, options) {
			rest();
			isAsking = true;
			askedAt = performance.now();
			cancel = cache.want(question, (got) => listener(got, () => done(got)), options);
		},
		soon,
		rest,
		isAsking: () => isAsking,
	};
}
