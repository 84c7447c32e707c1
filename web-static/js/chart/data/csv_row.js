/*
 * A row of CSV as bytes, as the server has it, with a ' before each text that a spreadsheet would take for a formula,
 * as base/csv.js has it for tables. Numbers stay as they are.
 */

const [QUOTE, COMMA, APOSTROPHE] = [...'",\''].map((sign) => sign.charCodeAt(0));
const ENDS = [COMMA, 10, 13];
const STARTS = new Set([...'=+-@\t\r'].map((sign) => sign.charCodeAt(0)));
const NUMBER = /^[+-]?(Infinity|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i;

/* Behind the cell that begins at `at`. */
function endOf(row, at) {
	let end = at;
	if (row[at] !== QUOTE) {
		while (end < row.length && !ENDS.includes(row[end])) end++;
		return end;
	}
	do {
		end = row.indexOf(QUOTE, end + 1);
		if (end < 0) return row.length;
	} while (row[end + 1] === QUOTE && ++end);
	return end + 1;
}

const isFormula = (row, from, to) => from < to && STARTS.has(row[from])
	&& !NUMBER.test(new TextDecoder().decode(row.subarray(from, to)));

/* Returns where the texts begin that need an apostrophe. */
function placesIn(row) {
	const places = [];
	for (let at = 0, end; at < row.length; at = end + 1) {
		const quote = row[at] === QUOTE ? 1 : 0;
		end = endOf(row, at);
		if (isFormula(row, at + quote, end - quote)) places.push(at + quote);
	}
	return places;
}

export function plainRow(row) {
	const places = placesIn(row);
	if (!places.length) return row;
	const plain = new Uint8Array(row.length + places.length);
	let from = 0;
	places.forEach((place, nth) => {
		plain.set(row.subarray(from, place), from + nth);
		plain[place + nth] = APOSTROPHE;
		from = place;
	});
	plain.set(row.subarray(from), from + places.length);
	return plain;
}
