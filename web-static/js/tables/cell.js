/* A cell of the grid: a value of a row, or what the rows of a group have there. One element each, as many are drawn at once. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/tables.js';
import { shownText, wholeText } from './cell_text.js';
import { imageFigure } from './image_figure.js';
import { mediaCell } from './media_cell.js';
import { isMedia } from './table.js';

const words = text.tables;
const TITLE_MOST = 1000; /* characters */
const SHORT = 20; /* characters that all columns have room for */

const cell = (look, props, child) => el('span', { class: look, role: 'gridcell', ...props }, child);

const isOfNumbers = (value, kind) => typeof value === 'number' || (value === null && (kind === 'number' || kind === 'time'));

function lookOf(value, kind) {
	return `table-cell${isOfNumbers(value, kind) ? ' num' : ''}${value === null ? ' none' : ''}`;
}

function titleOf(value, kind, shown) {
	const whole = wholeText(value, kind);
	return whole && (whole !== shown || shown.length > SHORT) ? whole.slice(0, TITLE_MOST) : null;
}

/* props: of the cell; files: as of table_file.js; showsLayers: whether images have their boxes and masks. */
export function valueCell(value, kind, { props, files, showsLayers }) {
	if (isMedia(value)) {
		const image = () => imageFigure(value, files, { look: 'cell-image', loading: 'lazy', showsLayers });
		return cell('table-cell media', props, mediaCell(value, files, image));
	}
	const shown = shownText(value, kind);
	return cell(lookOf(value, kind), { title: titleOf(value, kind, shown), ...props }, shown);
}

/* sum: as of groupSums; which: one of SUMS; size: rows of the group. */
export function sumCell(sum, { which, size, kind, ...place }) {
	if (sum.different !== undefined) {
		if (sum.value !== null && sum.count === size) return valueCell(sum.value, kind, place);
		return cell('table-cell none', place.props, sum.count ? words.different(count(sum.different)) : shownText(null));
	}
	const value = sum.count ? sum[which] : null;
	const isPart = sum.count < size && value !== null;
	return cell(`${lookOf(value, 'number')}${isPart ? ' part' : ''}`,
		{ title: isPart ? words.of(count(sum.count), count(size)) : value && String(value), ...place.props },
		shownText(value, which === 'std' ? 'number' : kind));
}

/* The text of the cell of sumCell(), in full; '' if there is nothing. */
export function sumCopy(sum, { which, size, kind }) {
	if (!sum.count) return '';
	if (sum.different === undefined) return String(sum[which] ?? '');
	return sum.value !== null && sum.count === size ? wholeText(sum.value, kind) : words.different(count(sum.different));
}

export const countCell = (size, props) => cell('table-cell num', props, count(size));
