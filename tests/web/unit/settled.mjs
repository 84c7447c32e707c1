/*
 * When all has been done that waits for nothing but its turn: each round is a timer and what comes at once after it, as
 * each step of what is waited for is at most. However slow the machine is, they take turns. Not of what takes time by
 * itself, as a part that is loaded from a file does for the first time.
 */

const ROUNDS = 25;
const { setTimeout: later, setImmediate: atOnce } = globalThis; /* tests put others in their place */

export async function settled() {
	for (let round = 0; round < ROUNDS; round++) {
		await new Promise((done) => later(done, 1));
		await new Promise((done) => atOnce(done));
	}
}
