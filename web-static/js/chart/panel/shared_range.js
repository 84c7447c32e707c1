/* Ranges that panels share, as those of a section: from the least to the greatest of all that were drawn. Pure. */

/*
 * changed(name): those that share it must be drawn again. Gives {of(name, id, range) -> the range of all, leave(id)}.
 * A panel shares one range at a time. Its range is null if it has no values; the result is null if no panel has any.
 */
export function sharedRanges(changed) {
	const known = new Map(); /* by name: {ranges by id, whole} */

	function wholeOf({ ranges }) {
		const all = [...ranges.values()];
		return [Math.min(...all.map(([low]) => low)), Math.max(...all.map(([, high]) => high))];
	}

	function settle(name, one) {
		const before = String(one.whole);
		one.whole = one.ranges.size ? wholeOf(one) : null;
		if (String(one.whole) !== before) changed(name);
	}

	function leave(id, but) {
		for (const [name, one] of known) if (name !== but && one.ranges.delete(id)) settle(name, one);
	}

	return {
		of(name, id, range) {
			leave(id, name);
			if (!known.has(name)) known.set(name, { ranges: new Map(), whole: null });
			const one = known.get(name);
			if (range) one.ranges.set(id, range);
			else one.ranges.delete(id);
			settle(name, one);
			return one.whole;
		},
		leave,
	};
}
