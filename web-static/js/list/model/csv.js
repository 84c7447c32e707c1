/* A table as CSV (RFC 4180). A text that a spreadsheet would take for a formula stays a text. */

import { nameOf } from '../../base/slot.js';

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

const ALWAYS = ['id', 'state']; /* stand before the columns, by the same name */

/*
 * {heads, cellsOf(run)} of runs. valueOf(run, key): what stands in the cell; changeOf(run, key): {absolute, relative}
 * against the baseline, or null, of columns that show it.
 */
export function runsTable(columns, valueOf, changeOf) {
	const partsOf = ({ key, isChange }) => [...(ALWAYS.includes(key) ? [] : [[key, (run) => valueOf(run, key)]]),
		...(isChange ? [[`${key} change`, (run) => changeOf(run, key)?.absolute],
			[`${key} relative change`, (run) => changeOf(run, key)?.relative]] : [])];
	const parts = columns.flatMap(partsOf);
	return { heads: ['id', 'name', 'state', 'started', ...parts.map(([head]) => head)],
		cellsOf: (run) => [run.id, nameOf(run), run.state, run.created_at, ...parts.map(([, read]) => read(run))] };
}
