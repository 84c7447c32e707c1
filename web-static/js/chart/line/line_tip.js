/* Tip under a panel while the cursor is in it: values there, the greatest first, the nearest in bold, never omitted. */

import { el, replace } from '../../base/dom.js';
import { count, number } from '../../base/format.js';
import { text as chartText } from '../../text/chart.js';
import { text } from '../../text/tip.js';
import { strokeOf } from '../../ui/run_swatch.js';
import { xWords } from '../panel/panel_words.js';
import { askOddWriters } from './odd_writers.js';

const words = text.tip;
const SHOWN = 10;
const NEAR_PX = 5;
const LABELS = 3;
const ROOMY = 3; /* rows: so few have a line of their own, and say how far the values lie apart */

/*
 * Returns the value of a line at a place. If the line continues across it, that is the value before it, with its place.
 * A line in the order of rows has its value along x. Points at the edges of a zoom are not rows: the next row is used.
 */
function valueAt({ line, path, raw, smooth }, idx) {
	const values = path ? raw : smooth;
	for (let at = idx; at >= 0; at--) {
		if (values[at] === null) return null;
		if (values[at] === undefined) continue;
		const beside = line.x[at] === null && (at ? line.after : line.before);
		return beside ? { at, ...beside, isOther: true } : { at, x: line.x[at], value: values[at], isOther: at !== idx };
	}
	return null;
}

/* Returns where the values are: all at one other place, or here except for rows that name their own place. */
function placeOf(rows, here) {
	const xs = new Set(rows.map(({ found }) => found.x));
	return xs.size === 1 && rows.every(({ found }) => found.isOther) ? { where: [...xs][0], isAll: true } : { where: here };
}

/* Formats the value. Rows that are joined in their order have no single value: shows the least to the greatest. */
function valueText({ line, path }, { at, value }, say) {
	const [low, high] = path ? [line.min[at], line.max[at]] : [value, value];
	return low === high ? say(value) : words.range(say(low), say(high));
}

function spread({ line, path }, at, say) {
	if (line.x[at] === null) return '';
	if (path) return words.rowsHere(line.n[at]);
	const [of, around] = line.isOfLabels ? [words.ofLabels, words.aroundLabels] : [chartText.charts.ofRuns, chartText.charts.around];
	if (line.middle) return words.middle(say(line.middle.low[at]), say(line.middle.high[at]), line.runs[at]);
	if (line.isGroup) return line.spread[at] === null ? of(line.runs[at]) : around(say(line.spread[at]), line.runs[at]);
	return line.n[at] > 1 ? words.between(say(line.min[at]), say(line.max[at]), count(line.n[at])) : '';
}

function row({ one, found, isNear }, { isRoomy, say, elsewhere }) {
	const rest = [isRoomy && spread(one, found.at, say), elsewhere(found)].filter(Boolean).join(', ');
	return el('div', { class: 'tip-row' }, strokeOf(one.line),
		el(isNear ? 'b' : 'span', { class: 'clip' }, one.line.name), el('b', {}, valueText(one, found, say)),
			rest && el('small', {}, rest));
}

/* Says where the first value of several writers is, and which writers they are, if known. */
function byWhom({ labels, first: [from, to] }, x) {
	const where = from === to ? words.firstAt(xWords(x, from)) : words.firstWithin(xWords(x, from), xWords(x, to));
	return `${where}, ${words.byLabels(labels.slice(0, LABELS), labels.length - LABELS)}`;
}

/* Says how many members of a group its mean covers. Members with only NaN or infinities here are not counted. */
function finiteIn(line, idx) {
	if (!line.isGroup) return null;
	return (line.isOfLabels ? words.finiteLabels : words.finiteRuns)(line.runs[idx], line.members);
}

const isOdd = ({ nan, pinf, ninf }, idx) => nan[idx] + pinf[idx] + ninf[idx] > 0;

/* NaN and infinities of each line. Their writers are added when they are known. */
function oddAt(panel, idx) {
	const lines = panel.ones.map(({ line }) => line).filter((line) => isOdd(line, idx));
	if (!lines.length && !panel.oddWriters) return [];
	if (!panel.oddWriters) {
		panel.oddWriters = askOddWriters(panel, (at) => refresh(panel, at));
		panel.stops.push(panel.oddWriters.stop);
	}
	const writers = panel.oddWriters.of(lines, idx);
	return lines.map((line) => {
		const known = writers(line);
		return [words.oddHere(line.name, line.nan[idx], line.pinf[idx] + line.ninf[idx]), finiteIn(line, idx),
			known && byWhom(known, panel.data.x)].filter(Boolean).join(', ');
	});
}

/* Updates the tip if the cursor is still there, and the spoken text if it was placed with the keyboard. */
function refresh(panel, idx) {
	if (!panel.plot || panel.tip.hidden || panel.shownAt !== idx) return;
	const sentence = fillTip(panel, idx);
	if (document.activeElement === panel.node && panel.spoken.textContent) replace(panel.spoken, sentence);
}

/* Events that are drawn where the cursor is. */
function eventsAt({ plot, events }) {
	const { left } = plot.cursor;
	return events.filter(({ x }) => Math.abs(plot.valToPos(x, 'x') - left) <= NEAR_PX).slice(0, SHOWN);
}

/* Returns the bucket that holds the step, of the buckets that are drawn there: the last one. */
function bucketOf(places, at) {
	let last = at;
	while (places[last + 1] === places[at]) last++;
	return last;
}

/* The greatest, and among more than are shown the one that is pointed at. */
function shownOf(rows) {
	const near = rows.findIndex(({ isNear }) => isNear);
	return near < SHOWN ? rows.slice(0, SHOWN) : [...rows.slice(0, SHOWN - 1), rows[near]];
}

/* Shows it, and returns the same as one sentence. panel.say formats a value. */
export function fillTip(panel, at) {
	const { ones, nearest, data, say = number } = panel;
	const idx = bucketOf(panel.plot.data[0], at);
	const rows = ones.map((one, nth) => ({ one, found: valueAt(one, idx), isNear: nth + 1 === nearest }))
		.filter((entry) => entry.found).sort((a, b) => b.found.value - a.found.value);
	const exact = ones.map((one) => one.line.x[idx]).find((x) => x !== null && x !== undefined);
	const place = placeOf(rows, exact ?? panel.plot.data[0][idx]);
	const where = xWords(data.x, place.where);
	const elsewhere = ({ isOther, x }) => isOther && !place.isAll ? xWords(data.x, x) : '';
	const isRoomy = rows.length <= ROOMY;
	panel.tip.classList.toggle('roomy', isRoomy);
	panel.shownAt = idx;
	const odd = oddAt(panel, idx);
	const valued = new Set(rows.map(({ one }) => one));
	const silent = ones.filter((one) => !valued.has(one) && !isOdd(one.line, idx)).length;
	const events = eventsAt(panel).map(({ name }) => name);
	const shown = shownOf(rows);
	panel.showTip(el('div', { class: 'tip-head' }, where), events.map((name) => el('div', { class: 'tip-more' }, name)),
		shown.map((entry) => row(entry, { isRoomy, say, elsewhere })),
		rows.length > SHOWN && el('div', { class: 'tip-more' }, chartText.charts.moreRuns(rows.length - SHOWN)),
		odd.slice(0, SHOWN).map((said) => el('div', { class: 'tip-more' }, said)),
		odd.length > SHOWN && el('div', { class: 'tip-more' }, words.moreOdd(odd.length - SHOWN)),
		silent > 0 && el('div', { class: 'tip-more' }, words.silent(silent)));
	const values = shown
		.map(({ one, found }) => [one.line.name, valueText(one, found, say), elsewhere(found)].filter(Boolean).join(' '));
	return [where, ...events, ...values, ...odd.slice(0, SHOWN)].join(', ');
}
