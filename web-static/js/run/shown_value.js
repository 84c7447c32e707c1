/*
 * A value of a config or summary in a row: a short one as it is, a long one opens in place, a histogram
 * of the wandb SDK as its bars.
 */

import { el, svg } from '../base/dom.js';
import { number } from '../base/format.js';
import { isTyped } from '../base/leaves.js';
import { histogramFrom } from '../chart/kinds/histogram.js';
import { text } from '../text/facts.js';

const words = text.values;
const LONG = 80;
const BARS = { wide: 120, high: 22 };

const isScalar = (value) => value === null || typeof value !== 'object';

/* A list breaks between its values. */
const listed = (list) => list.every(isScalar) ? `[${list.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(list);

function plain(value, told) {
	if (typeof value === 'number') return told(value);
	if (typeof value === 'string') return value || '""';
	return Array.isArray(value) ? listed(value) : JSON.stringify(value);
}

const isNested = (value) => !isScalar(value) && Object.keys(value).length > 0;

/* {counts, from, to}, or null for what is none. Pure. */
export function histogramIn(value) {
	const found = !isScalar(value) && value._type === 'histogram' ? histogramFrom(value) : null;
	return found && { counts: found.counts, from: found.edges[0], to: found.edges.at(-1) };
}

function bars({ counts }) {
	const [most, each] = [Math.max(...counts) || 1, BARS.wide / counts.length];
	const path = counts.map((one, at) => {
		const high = one / most * BARS.high;
		return one > 0 ? `M${at * each} ${BARS.high}v${-Math.max(1, high)}h${Math.max(0.5, each - 0.5)}V${BARS.high}z` : '';
	}).join('');
	return svg('svg', { class: 'bars', width: BARS.wide, height: BARS.high, 'aria-hidden': 'true' }, svg('path', { d: path }));
}

const opened = (value) => el('pre', { tabindex: 0 }, isNested(value) ? JSON.stringify(value, null, 2) : value);

/* In one line: a histogram by its bins, a file by its path. */
export function typedWords(value) {
	const histogram = histogramIn(value);
	if (histogram) return words.histogram(histogram.counts.length, number(histogram.from), number(histogram.to));
	return [value._type, value.path].filter((part) => typeof part === 'string').join(' ');
}

function typed(value) {
	const histogram = histogramIn(value);
	return el('details', { class: 'long' },
		el('summary', {}, histogram && [bars(histogram), ' '], el('bdi', {}, typedWords(value))), opened(value));
}

/* told: how numbers are. */
export function shownValue(value, told) {
	if (isTyped(value)) return typed(value);
	const short = plain(value, told);
	if (short.length <= LONG && !short.includes('\n')) return el('bdi', value === '' ? { class: 'muted' } : {}, short);
	return el('details', { class: 'long' },
		el('summary', {}, el('bdi', {}, `${short.slice(0, LONG).replace(/\s+/g, ' ')}…`)), opened(isNested(value) ? value : short));
}
