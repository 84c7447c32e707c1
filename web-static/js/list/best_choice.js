/* Two menus of a column at the best step of another metric: which metric, and which of its values is the best. */

import { el } from '../base/dom.js';
import { text } from '../text/list.js';
import { atColumn } from './model/metric_column.js';

const words = text.workspace;
const OFFERED = 2000;
const GOALS = ['best', 'min', 'max'];

/* keys: of metrics; isOff(column): it stands elsewhere already; onchange(column, which of the two was chosen). */
export function bestChoice({ key, goal, by }, { keys, isOff, onchange }) {
	const offered = [...new Set([by, ...keys])].slice(0, OFFERED);
	const whose = el('select', { 'aria-label': words.bestOf(key), 'data-best': 'by',
		onchange: () => onchange(atColumn(key, goal, whose.value), 'by') },
	offered.map((one) => el('option', { value: one, disabled: isOff(atColumn(key, goal, one)) }, one)));
	const which = el('select', { 'aria-label': words.goalOf(by), 'data-best': 'goal',
		onchange: () => onchange(atColumn(key, which.value, by), 'goal') },
	GOALS.map((one) => el('option', { value: one, disabled: isOff(atColumn(key, one, by)) }, words.goals[one])));
	whose.value = by;
	which.value = goal;
	return el('span', { class: 'best-choice' }, whose, which);
}
