/* Finds lines with an error: those that the server marks, and the lines of their tracebacks. Pure. */

const isTraceback = ({ level, text }) => Boolean(level) && text.includes('Traceback');
const placeOf = ({ writer, stream }) => `${writer} ${stream}`;

/* Lines in their order; those of a traceback go to the error that it ends with, by the same writer. */
export function errorLines(lines) {
	const open = new Map(); /* lines that may be of a traceback, by writer and stream */
	const found = new Set();
	for (const line of lines) {
		const place = placeOf(line);
		open.get(place)?.push(line);
		if (!line.level) continue;
		for (const one of open.get(place) ?? [line]) found.add(one);
		if (isTraceback(line)) open.set(place, []);
		else open.delete(place);
	}
	return lines.filter((line) => found.has(line));
}

/* A line that is written over is a progress bar, as most of stderr are that are no errors. */
export const plainErrors = (lines) => lines.filter(({ stream, text }) => stream === 'stderr' && !/\r./.test(text));
