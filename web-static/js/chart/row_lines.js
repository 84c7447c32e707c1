/* Rows of NDJSON as they come. */

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
