/* Runs with the values that box plots are of. Panels that ask within 16 ms for the same are answered by one reading. */

import { askAll } from '../api.js';

const RUNS = 10000;
const GATHER_MS = 16;

/* {want(address, listener(answer)) -> stop waiting, took: ms of the last reading}; nobody waits: it is not read on. */
export function boxReading({ ask = askAll } = {}) {
	const gathered = new Map(); /* by address */

	async function send(address) {
		const batch = gathered.get(address);
		gathered.delete(address);
		if (!batch.listeners.size) return;
		const began = performance.now();
		const answer = await ask(address, { most: RUNS, signal: batch.ends.signal });
		if (batch.ends.signal.aborted) return;
		reading.took = performance.now() - began;
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
			const told = (answer) => listener(answer);
			batch.listeners.add(told);
			return () => {
				batch.listeners.delete(told);
				if (!batch.listeners.size && gathered.get(address) !== batch) batch.ends.abort();
			};
		},
	};
	return reading;
}
