/* Writers with what is worth knowing of each; a row may open. */

import { el } from '../base/dom.js';
import { count, duration, number } from '../base/format.js';
import { behind, headStep, isFarBehind } from '../base/writer_order.js';
import { text as common } from '../text/common.js';
import { text } from '../text/writers.js';
import { stateBadge } from '../ui/controls.js';
import { ago } from '../ui/times.js';
import { table } from './card.js';

const words = text.runWriters;
const LATE_ROWS_S = 60;

function role(writer) {
	return writer.role === 'primary' ? el('span', { class: 'chip' }, words.roles.primary) : words.roles[writer.role];
}

function rest(writer, lag) {
	if (lag === null) return common.none;
	return lag > 0 ? words.steps(count(lag)) : '0';
}

/* Below a second it is the way of the data; a clock that is ahead makes it less than nothing. */
function lagOf(seconds) {
	if (seconds === null) return common.none;
	if (seconds <= -1) return words.ahead(duration(-seconds));
	return seconds < 1 ? '<1 s' : duration(seconds);
}

function whole(value) {
	return value === null ? common.none : count(value);
}

function place(writer) {
	return [writer.host && el('bdi', {}, writer.host), writer.pid !== null && words.process(writer.pid)]
		.filter(Boolean).flatMap((part, index) => index ? [' · ', part] : [part]);
}

function name(writer, open) {
	const label = el('bdi', {}, writer.label);
	if (!open) return label;
	return el('button', { class: 'link', type: 'button', 'data-key': `writer-${writer.number}`,
		'aria-expanded': String(open.is(writer)),
		onclick: () => open.turn(writer) }, label);
}

function cells(writer, { head, all, rates, open }) {
	const lag = behind(writer, head, all);
	const rate = rates.get(writer.number);
	return el('tr', { class: ['lost', 'late'].includes(writer.shown) && `row-${writer.shown}` },
		el('th', { scope: 'row' }, name(writer, open)),
		el('td', { class: 'soft' }, role(writer)),
		el('td', {}, stateBadge(words.states[writer.shown])),
		el('td', { class: 'soft' }, place(writer).length ? place(writer) : common.none),
		el('td', { class: 'num' }, ago(writer.heard_at)),
		el('td', { class: 'num' }, whole(writer.last_step)),
		el('td', { class: `num ${isFarBehind(writer, lag) ? 'bad' : 'soft'}` }, rest(writer, lag)),
		el('td', { class: 'num soft' }, count(writer.history_rows)),
		el('td', { class: 'num soft', title: words.rateHow }, rate === undefined ? common.none : number(rate)),
		el('td', { class: `num ${Math.abs(writer.lag_s) > LATE_ROWS_S ? 'bad' : 'soft'}`, title: words.lagHow },
			lagOf(writer.lag_s)),
		el('td', { class: 'num soft' }, count(writer.console_lines)),
		el('td', { class: `num ${writer.dropped_rows ? 'bad' : 'soft'}` }, count(writer.dropped_rows)));
}

/* `open`, if rows open: {is(writer), turn(writer), body(writer)}. */
export function writerTable(shown, { all, rates, open = null }) {
	const more = { head: headStep(all), all, rates, open };
	const rows = shown.flatMap((writer) => [cells(writer, more),
		open?.is(writer) && el('tr', { class: 'opened' }, el('td', { colspan: words.heads.length }, open.body(writer)))]);
	return table(words.name, words.heads, rows.filter(Boolean), { class: 'writers-table' });
}

/* "34 known, 32 live, 1 late, 1 lost" */
export function countWords(counts, total) {
	return [words.known(count(total)), ...['alive', 'late', 'lost', 'ended', 'replaced']
		.filter((state) => counts[state]).map((state) => `${count(counts[state])} ${words.states[state]}`)].join(', ');
}
