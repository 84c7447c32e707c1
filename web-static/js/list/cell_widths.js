/* How wide cells of the list have to be, so that nothing in them is cut. */

import { isSpread, meanForms, number } from '../base/format.js';
import { nameOf } from '../base/slot.js';
import { text } from '../text/list.js';
import { besideWidth, fitted, fittedMean, meanWidth, smallWidth, textWidth } from '../ui/fitted.js';
import { cellForms, cellText, columnWidth, valueOf } from './model/columns.js';
import { lateChip } from './model/late_rows.js';
import { metricOf } from './model/metric_column.js';
import { groupName } from './model/names.js';

const words = text.workspace;
export const PAD = 9; /* of a cell at its right */
const LEAST = 48; /* of a column */
const SORT = 16; /* the mark of a sorted column */
/* Parts of a name's cell, each with the gap next to it. */
const PARTS = { indent: 14, arrow: 18, mark: 20, pin: 18, late: 60, end: 10 };
const BOLD = 1.1; /* times as wide */

const beside = (said) => besideWidth({ textContent: said });

/* Returns the width of the cell with the whole name and the number of writers. */
export function nameWidth(run, depth, list) {
	const hasPin = list.isBase(run.id) || (depth > 0 && list.isShown(run.id));
	return (depth > 0 ? PARTS.indent : 0) + 2 * PARTS.mark + textWidth(nameOf(run)) + (hasPin ? PARTS.pin : 0)
		+ (run.by.writers > 1 ? beside(`×${run.by.writers}`) : 0) + (lateChip(run) ? PARTS.late : 0) + PARTS.end;
}

export function groupNameWidth({ group, depth }) {
	const { count, all = count } = group;
	const indents = depth > 0 ? depth * PARTS.indent + 6 : 0;
	return indents + PARTS.arrow + PARTS.mark + Math.ceil(textWidth(groupName(group)) * BOLD)
		+ beside(all === count ? count.toLocaleString('en-US') : words.someOf(count, all)) + PARTS.end;
}

/* {mean, spread, forms: of both, from the fullest on, part: of how many runs, null if all have a number}. */
export function meansOf({ key }, { numbers, runs }) {
	const shown = (value) => key === 'duration' ? cellText(key, value) : number(value);
	const spread = isSpread(numbers.mean, numbers.std) ? numbers.std : null;
	return { mean: shown(numbers.mean), spread: spread === null ? null : shown(spread),
		forms: meanForms(numbers.mean, spread, key === 'duration' ? shown : undefined),
		part: numbers.count < runs ? words.partOf(numbers.count, runs) : null };
}

function groupWidth({ group: { count, stats } }, column, room) {
	const numbers = stats?.[column.key];
	if (!numbers?.count) return 0;
	const { forms, part } = meansOf(column, { numbers, runs: count });
	const partWidth = part ? beside(part) : 0;
	return meanWidth(fittedMean(forms, room - partWidth)) + partWidth;
}

/* Returns the width of a column that its head and these rows need; the usual one unless it has plain numbers. */
export function numbersWidth(rows, column, list) {
	const usual = columnWidth(column);
	if (column.width || !column.isNumber || column.isChange || metricOf(column.key)) return usual;
	const isSorted = list.sort().some(({ key }) => key === column.key);
	const widths = rows.map(({ run, node }) => run ? textWidth(fitted(cellForms(column.key, valueOf(run, column.key)), usual - PAD))
		: node ? groupWidth(node, column, usual - PAD) : 0);
	return Math.min(usual, Math.max(LEAST, PAD + smallWidth(column.name) + (isSorted ? SORT : 0), PAD + Math.max(0, ...widths)));
}
