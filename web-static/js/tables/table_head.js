/* The head of a column: its name, how it is sorted, and the distribution of the rows that are shown. */

import { el, svg } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/tables.js';
import { icon } from '../ui/icons.js';
import { shownText } from './cell_text.js';

const words = text.tables;
const [WIDE, HIGH] = [100, 20];

function path(heights) {
	const most = Math.max(...heights);
	const step = WIDE / heights.length;
	return heights.map((height, at) => {
		const px = height && Math.max(1, height / most * HIGH);
		return px ? `M${(at * step).toFixed(2)} ${HIGH}v${(-px).toFixed(2)}h${(step * 0.86).toFixed(2)}v${px.toFixed(2)}z` : '';
	}).join('');
}

function drawing(heights) {
	return svg('svg', { class: 'column-bars', viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
		svg('path', { d: path(heights) }));
}

function saidOf({ kind, low, high, odd, different, top }, column) {
	const shown = (value) => shownText(value, column.kind);
	if (kind === 'numbers') {
		const range = low === null ? words.noValues : low === high ? shown(low) : words.range(shown(low), shown(high));
		return [range, odd && words.odd(count(odd))].filter(Boolean).join(', ');
	}
	if (!different) return words.noValues;
	return different === 1 ? shown(top[0].value) : words.different(count(different));
}

const titleOf = ({ kind, top }, column) =>
	kind === 'values' ? top.map(({ value, count: of }) => words.valueCount(shownText(value, column.kind).slice(0, 60), count(of))).join('\n') : null;

/* bars: as of column_bars.js, null while they are not known. */
export function barsNode(bars, column) {
	if (!bars) return el('div', { class: 'column-said' });
	const heights = bars.kind === 'numbers' ? bars.bars : bars.top.map((one) => one.count);
	const said = saidOf(bars, column);
	return el('div', { class: 'column-said', title: titleOf(bars, column) }, heights.length > 0 && drawing(heights),
		el('span', { class: 'clip' }, said));
}

const SORTED = { false: 'ascending', true: 'descending' };

/* sort: {isDown, rank: which of several keys it is, or 0 of one alone} or null. */
export function headCell({ name, sort, isNumber, bars, ...props }) {
	const mark = sort && el('span', { class: sort.isDown ? 'table-sort' : 'table-sort turned' }, icon('down'), sort.rank > 0 && sort.rank);
	return el('div', { class: isNumber ? 'column-head num' : 'column-head', role: 'columnheader', 'aria-sort': sort ? SORTED[sort.isDown] : 'none',
		title: words.sortBy(name), ...props },
	el('span', { class: 'column-name' }, el('bdi', { class: 'clip' }, name), mark), bars);
}
