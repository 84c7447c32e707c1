/* A cell of the grid: a value of a row, or what the rows of a group have there. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/tables.js';
import { shownText, wholeText } from './cell_text.js';
import { imageFigure } from './image_figure.js';
import { isMediaValue, mediaCell } from './media_cell.js';

const words = text.tables;
const TITLE_MOST = 1000; /* characters */

function node({ isNumber, isNone, title, ...props }, ...children) {
	const look = ['table-cell', isNumber && 'num', isNone && 'none'].filter(Boolean).join(' ');
	return el('span', { class: look, role: 'gridcell', title, ...props }, children);
}

export function valueCell(value, kind, { props, files, showsLayers }) {
	const image = () => imageFigure(value, files, { look: 'cell-image', loading: 'lazy', showsLayers });
	if (isMediaValue(value)) return node({ ...props }, mediaCell(value, files, image));
	const shown = shownText(value, kind);
	const whole = wholeText(value, kind);
	return node({ ...props, isNumber: typeof value === 'number' || (value === null && (kind === 'number' || kind === 'time')), isNone: value === null,
		title: whole && whole !== shown ? whole.slice(0, TITLE_MOST) : shown.length > 20 ? shown : null },
	el('bdi', { class: 'clip' }, shown));
}

/* sum: as of groupSums; which: one of SUMS; size: rows of the group. */
export function sumCell(sum, { which, size, kind, ...place }) {
	if (sum.different !== undefined) {
		if (sum.value !== null && sum.count === size) return valueCell(sum.value, kind, place);
		return node({ ...place.props, isNone: true }, el('bdi', { class: 'clip' }, sum.count ? words.different(count(sum.different)) : '—'));
	}
	const value = sum.count ? sum[which] : null;
	return node({ ...place.props, isNumber: true, isNone: value === null, title: sum.count < size ? words.of(count(sum.count), count(size)) : value && String(value) },
		el('bdi', { class: sum.count < size && value !== null ? 'clip part' : 'clip' }, shownText(value, which === 'std' ? 'number' : kind)));
}

export const countCell = (size, props) => node({ ...props, isNumber: true }, count(size));
