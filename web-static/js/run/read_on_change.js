/* Reads again when its subject changes. A subject that changes all the time is shown at times rather than never. */

import { reread } from '../base/reread.js';

const REST_MS = 1000;

/*
 * wanted() returns a text that identifies what is to be read, read() its value or null. hurry() does not wait for the rest,
 * and an answer that is under way is not shown.
 */
export function readOnChange({ wanted, read, show }) {
	let shown = '';

	const turns = reread(async (signal) => {
		const now = wanted();
		if (now === shown) return null;
		const got = await read();
		if (signal.aborted) return null;
		if (!got) return true;
		shown = now;
		show(got);
		return null;
	}, () => REST_MS);

	const update = () => wanted() === shown || turns.soon();

	return { update, hurry: turns.now, stop: turns.stop };
}
