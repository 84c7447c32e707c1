/* Copies or saves the table that a comparison shows: {heads, rows}. */

import { csvOf } from '../base/csv.js';
import { copy } from '../ui/copy.js';
import { saveText } from '../ui/save.js';

export function copyTable({ heads, rows }) {
	copy([heads, ...rows].map((cells) =>
		cells.map((cell) => String(cell).replace(/[\t\n\r]/g, ' ')).join('\t')).join('\n'));
}

export function saveTable({ heads, rows }, name) {
	saveText(csvOf(heads, rows), 'text/csv', name);
}
