/* Saves a table as it is shown, its rows filtered and sorted or its groups, as CSV or as JSON of the SDK's form. */

import { csvLine } from '../base/csv.js';
import { rowFile } from '../base/row_file.js';
import { text } from '../text/tables.js';
import { toast } from '../ui/controls.js';
import { progressCard } from '../ui/progress_card.js';
import { saveBlob } from '../ui/save.js';
import { keysOf, sizeOf } from './group_rows.js';
import { plainText } from './table.js';

const words = text.tables;
const ROWS_AT_ONCE = 500;
const SLOW_MS = 400;

const encoder = new TextEncoder();

/* NaN and infinities are texts: JSON has none. */
const jsonValue = (value) => typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
const csvValue = (value) => value !== null && typeof value === 'object' ? plainText(value) : value;

const FORMS = {
	csv: { type: 'text/csv', head: (names) => csvLine(names), row: (cells) => csvLine(cells.map(csvValue)), end: '' },
	json: { type: 'application/json', head: (names) => `{"columns":${JSON.stringify(names)},"data":[`,
		row: (cells, at) => `${at ? ',' : ''}\n${JSON.stringify(cells.map(jsonValue))}`, end: '\n]}\n' },
};

/* {names, count, at(row): cells} of what is shown. */
export function shownRows({ table, rows, groups, sum }) {
	if (!groups) {
		return { names: table.columns.map(({ name }) => name), count: rows.length,
			at: (place) => table.columns.map(({ values }) => values[rows[place]]) };
	}
	const { groups: made, of, order } = groups;
	const others = table.columns.filter((column) => !made.columns.includes(column) && column.isNumeric);
	const valueOf = ({ count, ...sums }) => count ? sums[sum] : null;
	return { names: [...made.columns.map(({ name }) => name), words.count, ...others.map(({ name }) => `${sum}(${name})`)], count: order.length,
		at: (place) => [...keysOf(made, order[place]), sizeOf(made, order[place]), ...others.map((column) => valueOf(of(order[place], column)))] };
}

const pause = () => new Promise((resolve) => setTimeout(resolve));

/* Returns the limit that was reached: 'rows', 'bytes'; null if all was written. */
export async function writeRows(file, as, shown, { signal, tell = () => {} }) {
	const form = FORMS[as];
	file.add([encoder.encode(form.head(shown.names))], 0);
	let full = null;
	for (let at = 0; at < shown.count && !full && !signal.aborted; at++) {
		full = file.add([encoder.encode(form.row(shown.at(at), at))]);
		if (at % ROWS_AT_ONCE) continue;
		tell(at, shown.count);
		await pause();
	}
	file.add([encoder.encode(form.end)], 0);
	return full;
}

export async function saveTable(as, { name, ...of }) {
	const card = progressCard(words.saving, { after: SLOW_MS });
	const file = rowFile();
	const full = await writeRows(file, as, shownRows(of), { signal: card.signal,
		tell: (done, all) => card.tell(words.savedOf(done, all), done, all) });
	if (card.signal.aborted) return undefined;
	saveBlob(file.blob(FORMS[as].type), `${name.replace(/(\.table)?\.json$/, '')}.${as}`);
	toast(words.saved(file.so.rows));
	return card.end(full && words.savedMost(file.so.rows));
}
