/* Lists the earlier attempts whose config and summary are kept, the latest first. Shows nothing if there are none. */

import { el } from '../dom.js';
import { count } from '../format.js';
import { moment, zonedMoment } from '../moments.js';
import { button } from '../parts/controls.js';
import { later } from '../parts/later.js';
import { stateBadge } from '../parts/state_badge.js';
import { text } from '../text.js';
import { countedCard, table } from './card.js';

const words = text.runAttempts;
const dialogs = later(() => import('../parts/late_dialogs.js'));

function time(at) {
	return at ? el('time', { datetime: at, title: zonedMoment(at) }, moment(at)) : el('span', { class: 'muted' }, text.none);
}

function row(attempt, data) {
	const { number, state, rows, ended_at: endedAt } = attempt;
	const begun = data.states.find((one) => one.attempt === number);
	return el('tr', {}, el('th', { scope: 'row' }, number), el('td', {}, stateBadge(state)),
		el('td', { class: 'mono soft' }, time(begun?.at)), el('td', { class: 'mono soft' }, time(endedAt)),
		el('td', { class: 'num' }, count(rows)),
		el('td', {}, button(words.show, { look: 'small', 'data-key': `attempt-${number}`, 'aria-label': words.showOf(number),
			onclick: () => dialogs('showAttempt', data, attempt) })));
}

export function attemptCard(data) {
	const { attempts } = data;
	if (!attempts.length) return null;
	return countedCard(words.name, count(attempts.length), null, el('p', { class: 'note' }, words.how),
		table(words.name, words.heads, attempts.slice().reverse().map((one) => row(one, data))));
}
