/*
 * Reads again as what it is read for changes: one reading at a time, and a rest after each, so that what changes all
 * the time is shown at times and not never. What cannot be read is tried again later.
 */

const REST_MS = 1000;
const FAULT_MS = 5000;

/*
 * wanted() tells by a text what is to be read, read() gives it or null, show(what was read). hurry() waits for no rest,
 * and an answer that is under way is not shown.
 */
export function inTurn({ wanted, read, show }) {
	let shown = '';
	let timer = 0;
	let isReading = false;
	let isHurried = false;
	let isStopped = false;

	async function update() {
		const now = wanted();
		if (isStopped || isReading || timer || now === shown) return;
		isReading = true;
		const got = await read().catch((fault) => {
			reportError(fault);
			return null;
		});
		isReading = false;
		if (isStopped) return;
		if (isHurried) return hurry();
		if (got) {
			shown = now;
			show(got);
		}
		timer = setTimeout(hurry, got ? REST_MS : FAULT_MS);
	}

	function hurry() {
		clearTimeout(timer);
		timer = 0;
		isHurried = isReading;
		return update();
	}

	function stop() {
		isStopped = true;
		clearTimeout(timer);
	}

	return { update, hurry, stop };
}
