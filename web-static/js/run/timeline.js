/* Every state the run was in, to scale, and the changes as a list: when, from, to, who, why. */

import { el } from '../base/dom.js';
import { duration } from '../base/format.js';
import { moment } from '../base/moments.js';
import { stateWord, text as common } from '../text/common.js';
import { text } from '../text/writers.js';
import { stateBadge } from '../ui/controls.js';
import { icon } from '../ui/icons.js';
import { table } from './card.js';
import { clockTicks, tickNode } from './clock_ticks.js';
import { authorOf, extent, stretches } from './states_scale.js';

const words = text.runStates;

function stretch(one) {
	const length = one.to - one.from;
	return el('span', { class: `stretch ${one.state}`,
		style: { left: `${one.from * 100}%`, width: `${length * 100}%` },
		title: one.ends ? `${stateWord(one.state)}, ${duration(one.seconds)}` : stateWord(one.state) },
		length > 0.025 && [icon(one.state), length > 0.09 && el('em', {}, stateWord(one.state))]);
}

function ticks(changes, now) {
	const { begin, whole } = extent(changes, now);
	return clockTicks(begin, begin + Math.max(whole, 1000), innerWidth < 900 ? 3 : 6).map(tickNode);
}

export function stateBar(changes, now) {
	const all = stretches(changes, now);
	if (!all.length) return null;
	return el('div', { class: 'state-bar-wrap' },
		el('div', { class: 'state-bar', role: 'img', 'aria-label': words.inOrder(all.map((one) => one.state)) },
			all.map(stretch)),
		el('div', { class: 'state-clock', 'aria-hidden': 'true' }, ticks(changes, now)));
}

function row(change) {
	return el('tr', {}, el('td', { class: 'mono soft' }, moment(change.at)),
		el('td', {}, change.from ? stateBadge(change.from) : common.none), el('td', {}, stateBadge(change.to)),
		el('td', {}, el('bdi', {}, authorOf(change))), el('td', { class: 'soft why' }, el('bdi', {}, change.reason)));
}

/* The latest first. */
export function stateTable(changes) {
	return table(words.name, words.heads, changes.slice().reverse().map(row));
}
