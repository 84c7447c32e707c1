/* Long work, as a generator, in slices, between which the page answers. */

const SLICE_MS = 10;

/* then(what it gives): at once where the first slice is enough. Gives back how to end it. */
export function inSlices(pieces, then) {
	let timer = 0;

	function go() {
		const end = performance.now() + SLICE_MS;
		let step = pieces.next();
		while (!step.done && performance.now() < end) step = pieces.next();
		if (step.done) then(step.value);
		else timer = setTimeout(go);
	}

	go();
	return () => clearTimeout(timer);
}
