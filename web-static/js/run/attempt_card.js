/* Lists the earlier attempts whose config and summary are kept, the latest first. Shows nothing if there are none. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { moment, zonedMoment } from '../base/moments.js';
import { text as common } from '../text/common.js';
import { text } from '../text/overview.js';
import { button, stateBadge } from '../ui/controls.js';
import { later } from '../ui/later.js';
import { countedCard, table } from './card.js';

const words = text.runAttempts;
const dialogs = later(() => import('./attempt_dialog.js'));

function time(at) {
	return at ? el('time', { datetime: at, title: zonedMoment(at) }, moment(at)) : el('span', { class: 'muted' }, common.none);
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
