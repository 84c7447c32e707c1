/*
 * Reads application/vnd.cairn.columns as it comes: a piece is "CRN1", the length of its head (32 bits), the length of
 * its columns (64 bits), the head as JSON, and the columns. Each piece gets a buffer of its own, so that columns are
 * typed arrays in place.
 */

const LEAD = 16;
const MAGIC = 0x314e5243; /* CRN1 */
const TYPES = { float64: Float64Array, float32: Float32Array };
const MOST = 256 * 2 ** 20;

function lengthsOf(lead) {
	const view = new DataView(lead.buffer);
	if (view.getUint32(0, true) !== MAGIC) throw new Error('not a piece of columns');
	const head = view.getUint32(4, true);
	const columns = Number(view.getBigUint64(8, true));
	if (head + columns > MOST) throw new Error('a piece that is too long');
	return { head, columns };
}

function pieceOf(bytes, { head }) {
	const piece = JSON.parse(new TextDecoder().decode(bytes.subarray(0, head)));
	if (!piece.columns) return piece;
	const columns = {};
	for (const { name, type, offset, count } of piece.columns) {
		columns[name] = new TYPES[type](bytes.buffer, head + offset, count);
	}
	return { ...piece, columns };
}

/* push(chunk) gives the pieces that are whole now; rest() is true when one is not. */
export function pieceReader() {
	let lengths = null;
	let target = new Uint8Array(LEAD);
	let filled = 0;

	function take(chunk) {
		const part = chunk.subarray(0, target.length - filled);
		target.set(part, filled);
		filled += part.length;
		return chunk.subarray(part.length);
	}

	function next() {
		const done = lengths ? pieceOf(target, lengths) : null;
		lengths = lengths ? null : lengthsOf(target);
		target = new Uint8Array(lengths ? lengths.head + lengths.columns : LEAD);
		filled = 0;
		return done;
	}

	return {
		push(chunk) {
			const pieces = [];
			for (let left = chunk; left.length > 0;) {
				left = take(left);
				if (filled < target.length) break;
				const piece = next();
				if (piece) pieces.push(piece);
			}
			return pieces;
		},
		rest: () => lengths !== null || filled > 0,
	};
}
