/*
 * Rows of a list by their places, of which some were read: stretches with gaps between. Where the list goes on behind a
 * stretch is kept as the server's cursor. The places of a gap are as many as were counted once; how many there are is
 * known when what was read next to it meets.
 */

/* Rows and gaps, where some rows went. */
function without(items, ids) {
	const left = [];
	let gone = 0;
	items.forEach((item, place) => {
		if (ids.has(item.id)) gone++;
		else left[place - gone] = item;
	});
	return left;
}

export function placedRows() {
	let items = [];
	let places = new Map();
	let cursors = new Map(); /* by the id of a row: behind it */
	let total = null;

	function lay(next) {
		items = next;
		places = new Map();
		items.forEach(({ id }, place) => places.set(id, place));
	}

	const isNew = ({ id }) => !places.has(id);

	/* A cursor goes on behind a row that went as well. */
	function keepCursors(ids) {
		for (const [id, cursor] of [...cursors].filter(([one]) => ids.has(one))) {
			let before = places.get(id);
			while (items[before] && ids.has(items[before].id)) before--;
			if (items[before]) cursors.set(items[before].id, cursor);
			cursors.delete(id);
		}
	}

	/* rows, at places from `from` on; what is behind them stays where it is. */
	function write(from, rows) {
		const next = items.slice();
		rows.forEach((row, at) => {
			next[from + at] = row;
		});
		lay(next);
	}

	/* Behind this place the list goes on as more says; null: it ends there, however long it was thought to be. */
	function goesOn(past, { more, count }) {
		if (more === null) {
			lay(items.slice(0, past));
			total = past;
		} else {
			if (past > 0) cursors.set(items[past - 1].id, more);
			if (past >= total) total = Math.max(past + 1, count);
		}
	}

	return {
		isNew,
		total: () => total,
		at: (place) => items[place],
		first: (count) => items.slice(0, count).filter(Boolean),
		loaded: () => items.filter(Boolean),
		firstGap() {
			const gap = Array.from(items).findIndex((item) => !item);
			return gap < 0 ? items.length : gap;
		},
		place: (id) => places.get(id),
		cursorAt: (place) => cursors.get(items[place]?.id),
		/* The gap of a place that was not read: {from, to}, `to` the next that was, or the end. */
		gapAt(place) {
			let [from, to] = [place, place + 1];
			while (from > 0 && !items[from - 1]) from--;
			while (to < total && !items[to]) to++;
			return { from, to };
		},
		/* Replaces all rows. */
		begin(rows, { more, count }) {
			cursors = new Map();
			total = count;
			lay(rows);
			goesOn(rows.length, { more, count });
		},
		/* All that is in a gap, however long it was. */
		close({ from, to }, rows) {
			const next = items.slice();
			next.splice(from, to - from, ...rows);
			total += rows.length - (to - from);
			lay(next);
		},
		/* Rows from a place of a gap on; answered: {more: the cursor of what is behind them, or null, count: of all} */
		goOn(from, rows, answered) {
			write(from, rows);
			goesOn(from + rows.length, answered);
		},
		/* Rows up to the next that was read. */
		comeTo(to, rows) {
			write(to - rows.length, rows);
		},
		put(fresh) {
			for (const item of fresh) {
				const place = places.get(item.id);
				if (place !== undefined) items[place] = { ...items[place], ...item };
			}
		},
		drop(ids) {
			const before = places.size;
			keepCursors(ids);
			lay(without(items, ids));
			total -= before - places.size;
		},
	};
}
