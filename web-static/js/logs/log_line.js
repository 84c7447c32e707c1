/* A line of output as an element: number, time, label, and its text with colours and what was found in it. */

import { asWritten, el } from '../base/dom.js';
import { clock as momentClock } from '../base/moments.js';
import { text } from '../text/logs.js';
import { later } from '../ui/later.js';
import { pieces, plain } from './ansi.js';
import { hasStates, statesOf } from './log_was.js';

const words = text.logs;
const dialogs = later(() => import('./log_states.js'));
const LONG = 10240;
const MARKS_MAX = 200;
const TWO = (n) => String(n).padStart(2, '0');

function clock(seconds) {
	return `${momentClock(seconds * 1000)}.${String(new Date(seconds * 1000).getMilliseconds()).padStart(3, '0')}`;
}

function elapsed(seconds) {
	const whole = Math.abs(seconds);
	const text = `${TWO(Math.floor(whole / 3600))}:${TWO(Math.floor(whole / 60) % 60)}:${TWO(Math.floor(whole) % 60)}.${String(Math.floor(whole % 1 * 1000)).padStart(3, '0')}`;
	return seconds < 0 ? `−${text}` : text;
}

function placesOf(line, { regex, reach }) {
	const made = [];
	for (const found of line.slice(0, reach).matchAll(regex)) {
		if (found[0]) made.push([found.index, found.index + found[0].length]);
		if (made.length >= MARKS_MAX) break;
	}
	return made;
}

/* [from, to] of each match, none if the search took too long; find: of marker() in log_search.js. */
export function places(line, find) {
	return find?.within(() => placesOf(line, find)) ?? [];
}

/* Cut where a mark begins or ends, so that one may go over several colours. */
export function marked(parts, marks) {
	const made = [];
	let at = 0;
	for (const { text: part, look } of parts) {
		let from = 0;
		while (from < part.length) {
			const mark = marks.find(([, to]) => to > at + from);
			const inside = mark && mark[0] <= at + from;
			const edge = mark ? (inside ? mark[1] : mark[0]) - at : part.length;
			const to = Math.min(part.length, edge);
			made.push({ text: part.slice(from, to), look, isMark: Boolean(inside) });
			from = to;
		}
		at += part.length;
	}
	return made;
}

function spans(line, find) {
	const parts = pieces(line);
	return marked(parts, find ? places(plain(line), find) : []).map(({ text: part, look, isMark }) => {
		const node = look ? el('span', { class: look }, asWritten(part)) : asWritten(part);
		return isMark ? el('mark', {}, node) : node;
	});
}

function body(line, find) {
	if (line.text.length <= LONG) return spans(line.text, find);
	const more = el('button', { type: 'button', class: 'btn small', onclick: () => {
		more.parentNode.replaceChildren(...spans(line.text, find));
	} }, words.showAll(line.text.length));
	return [...spans(line.text.slice(0, LONG), find), ' ', more];
}

function before(line) {
	const states = words.states(statesOf(line).length.toLocaleString('en-US'));
	return el('button', { type: 'button', class: 'log-states', title: words.statesHint,
		onclick: () => dialogs('showStates', line) }, states);
}

/* look: {time, began, find, slotOf, hrefOf}. */
export function lineNode(line, look) {
	const time = look.time === 'off' ? '' : look.time === 'elapsed' ? elapsed(line.time - look.began) : clock(line.time);
	const node = el('div', { class: `log${line.level ? ' error' : ''}` },
		line.stream === 'stderr' && el('i', { class: 'log-e', role: 'img', 'aria-label': 'stderr', title: 'stderr' }),
		el('a', { class: 'log-n', href: look.hrefOf(line), tabindex: -1, title: words.linkTo(line.label, line.line) },
			line.line.toLocaleString('en-US')),
		time && el('span', { class: 'log-t', title: new Date(line.time * 1000).toISOString() }, time),
		el('span', { class: 'log-l', title: line.label },
			el('i', { style: { background: `var(--s${look.slotOf(line.label) + 1})` } }),
			el('span', { class: 'clip' }, line.label)),
		el('span', { class: 'log-x', dir: 'auto' }, body(line, look.find)), hasStates(line) && before(line));
	node.line = line;
	return node;
}

export function keyOf(line) {
	return `${line.writer}:${line.line}`;
}
