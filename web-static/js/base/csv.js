/* A table as CSV (RFC 4180). A text that a spreadsheet would take for a formula stays a text. */

function cell(value) {
	if (value === null || value === undefined) return '';
	const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
	return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csvLine(cells) {
	return `${cells.map(cell).join(',')}\r\n`;
}

export function csvOf(heads, rows) {
	return [heads, ...rows].map(csvLine).join('');
}
