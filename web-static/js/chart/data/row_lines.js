/* Rows as they come: of NDJSON as text, of NDJSON and CSV as bytes. */

const [LINE_END, QUOTE] = [10, 34];

/* A function that takes bytes, cut anywhere, and gives the lines that are whole now. */
export function lineCutter() {
	const decoder = new TextDecoder();
	let rest = '';
	return (chunk) => {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
		rest = lines.pop();
		return lines.filter(Boolean);
	};
}

function joined(parts) {
	if (parts.length === 1) return parts[0];
	const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
	return all;
}

/*
 * A function that takes bytes, cut anywhere, and gives the rows that are whole now, each with its line's end. isQuoted:
 * of CSV, where a line's end between quotes is none.
 */
export function rowCutter({ isQuoted = false } = {}) {
	let rest = [];
	let isInside = false;
	return (chunk) => {
		const rows = [];
		let from = 0;
		for (let at = 0; at < chunk.length; at++) {
			if (isQuoted && chunk[at] === QUOTE) isInside = !isInside;
			if (chunk[at] !== LINE_END || isInside) continue;
			rows.push(joined([...rest, chunk.subarray(from, at + 1)]));
			rest = [];
			from = at + 1;
		}
		if (from < chunk.length) rest.push(chunk.slice(from));
		return rows;
	};
}
