/*
 * A file of rows that grows up to so many rows and bytes, piece by piece: a piece that is full goes to the browser,
 * which need not keep it in memory.
 */

export const MOST = { rows: 1000000, bytes: 256 * 2 ** 20 };
const PIECE = 8 * 2 ** 20;

/* most: {rows, bytes}; the head is no row. */
export function rowFile({ most = MOST, piece = PIECE } = {}) {
	const blobs = [];
	let open = new Uint8Array(piece);
	let used = 0;
	const so = { rows: 0, bytes: 0 };

	function flush() {
		if (used) blobs.push(new Blob([open.subarray(0, used)]));
		used = 0;
	}

	function put(part) {
		if (used + part.length > piece) flush();
		if (part.length > piece) return blobs.push(new Blob([part]));
		open.set(part, used);
		used += part.length;
		return used;
	}

	return {
		/* As it is now. */
		so,
		/* Adds the parts of a row. Returns null, or the limit that would be exceeded: 'rows', 'bytes'. */
		add(parts, rows = 1) {
			const bytes = parts.reduce((sum, { length }) => sum + length, 0);
			if (so.rows + rows > most.rows) return 'rows';
			if (so.bytes + bytes > most.bytes) return 'bytes';
			parts.forEach(put);
			so.rows += rows;
			so.bytes += bytes;
			return null;
		},
		blob(type) {
			flush();
			open = null;
			return new Blob(blobs, { type });
		},
	};
}
