/*
 * Rows a second of each writer, over about the last minute of what was read of them. A reading a few seconds apart is
 * kept as one column of numbers, so that thousands of writers stay small. Pure.
 */

const WINDOW_MS = 60_000;
const APART_MS = 5_000; /* readings that are kept */
const LEAST_MS = 15_000; /* a writer that sends now and then would be 0 and then too much within less */

function column(writers) {
	const rows = new Float64Array(writers.reduce((most, { number }) => Math.max(most, number + 1), 0)).fill(NaN);
	for (const writer of writers) rows[writer.number] = writer.history_rows;
	return rows;
}

/* The first reading that knows the writer, when it is long enough ago. */
function since(readings, number, now) {
	const first = readings.find(({ rows }) => rows[number] >= 0);
	return first && now - first.at >= LEAST_MS ? first : null;
}

function rate(readings, writer, now) {
	const first = since(readings, writer.number, now);
	return first && Math.max(0, writer.history_rows - first.rows[writer.number]) / ((now - first.at) / 1000);
}

/* (writers, now) -> Map of number -> rows/s, without those that are ended and those not known for long enough. */
export function writerRates() {
	const readings = [];
	return function read(writers, now) {
		while (readings.length > 1 && now - readings[1].at >= WINDOW_MS) readings.shift();
		const going = writers.filter((writer) => writer.state === 'alive' || writer.state === 'lost');
		const known = going.map((writer) => [writer.number, rate(readings, writer, now)])
			.filter(([, value]) => value !== null);
		const isApart = !readings.length || now - readings[readings.length - 1].at >= APART_MS;
		if (isApart) readings.push({ at: now, rows: column(writers) });
		return new Map(known);
	};
}
