/* Runs with the values that box plots are of. Panels that ask within 16 ms for the same are answered by one reading. */

import { askAll } from '../../api.js';

const RUNS = 10000;
const GATHER_MS = 16;

/*
 * {want(address, listener(answer)) -> stop waiting, took: ms of the last reading, of several at a time of the longest}.
 * If no panel waits, reading stops.
 */
export function boxReading({ ask = askAll } = {}) {
	const gathered = new Map(); /* by address */
	let underWay = 0;
	let longest = 0;

	async function timed(address, signal) {
		if (!underWay++) longest = 0;
		const began = performance.now();
		const answer = await ask(address, { most: RUNS, signal }).finally(() => { underWay--; });
		if (!signal.aborted) reading.took = longest = Math.max(longest, performance.now() - began);
		return answer;
	}

	async function send(address) {
		const batch = gathered.get(address);
		gathered.delete(address);
		if (!batch.listeners.size) return;
		const answer = await timed(address, batch.ends.signal);
		if (batch.ends.signal.aborted) return;
		for (const listener of batch.listeners) listener(answer);
	}

	function batchOf(address) {
		if (!gathered.has(address)) {
			gathered.set(address, { listeners: new Set(), ends: new AbortController() });
			setTimeout(() => send(address), GATHER_MS);
		}
		return gathered.get(address);
	}

	const reading = {
		took: 0,
		want(address, listener) {
			const batch = batchOf(address);
			const own = (answer) => listener(answer);
			batch.listeners.add(own);
			return () => {
				batch.listeners.delete(own);
				if (!batch.listeners.size && gathered.get(address) !== batch) batch.ends.abort();
			};
		},
	};
	return reading;
}
