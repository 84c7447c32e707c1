/* Lines that arrived, by their writer and the numbers of the first and the last: {writer, from, to}. */

import { ask } from '../api.js';

const READ = 1000;

/* Returns the part of a range after the last known number; null: there is none. */
export function freshOf({ writer, from, to }, top) {
	return to > top ? { writer, from: Math.max(from, top + 1), to } : null;
}

/* The part that is among the shown lines; null: none of it is. */
export function atHand({ writer, from, to }, lines) {
	const shown = lines.filter((one) => one.writer === writer && one.line >= from
		&& one.line <= to).map(({ line }) => line);
	return shown.length ? { writer, from: Math.min(...shown), to: Math.max(...shown) } : null;
}

/*
 * Lines that were written again are read in rounds: what is reported in between is one range of each writer, and read by the
 * next round, so that no older answer stands over a newer one. read(range) gives lines for put(lines), or null: it
 * could not be read, and is by a later round. A round tells whether all of it was.
 */
export function againRounds(read, put) {
	let pending = new Map();

	function add({ writer, from, to }) {
		const known = pending.get(writer) ?? { from, to };
		pending.set(writer, { writer, from: Math.min(known.from, from), to: Math.max(known.to, to) });
	}

	async function round() {
		const ranges = [...pending.values()];
		pending = new Map();
		let isWhole = true;
		for (const range of ranges) {
			const lines = await read(range);
			if (lines) put(lines);
			else add(range);
			isWhole &&= lines !== null;
		}
		return isWhole;
	}

	return { add, round };
}

/* Null: they could not be read. */
export async function readRange(path, { writer, from, to }, signal) {
	const limit = Math.min(READ, to - from + 1);
	const answer = await ask('GET', `${path}/console?writers=${writer}&from=${from}&limit=${limit}`, undefined,
		{ signal });
	return answer.status === 200 ? answer.body.items.filter(({ line }) => line <= to) : null;
}
