/* The lines of a text that comes piece by piece, wherever it is cut; the last one may go on. */

export function lineReader() {
	const lines = [''];
	let wasReturn = false;
	return {
		lines,
		push(piece) {
			const [first, ...rest] = (wasReturn ? piece.replace(/^\n/, '') : piece).split(/\r\n?|\n/);
			if (piece) wasReturn = piece.endsWith('\r');
			lines[lines.length - 1] += first;
			for (const line of rest) lines.push(line);
		},
	};
}
