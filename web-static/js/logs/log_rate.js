/* How many lines come in a second, over the last seconds. */

const RATE_MS = 10000;

export function logRate() {
	let arrived = []; /* [when, how many] */

	return {
		add: (lines) => arrived.push([performance.now(), lines]),
		forget() {
			arrived = arrived.filter(([at]) => performance.now() - at < RATE_MS);
		},
		isAny: () => arrived.length > 0,
		perSecond: () => arrived.reduce((sum, [, lines]) => sum + lines, 0) / (RATE_MS / 1000),
	};
}
