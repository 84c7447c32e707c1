/* A dialog with the earlier states of a line. */

import { asWritten, el } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/logs.js';
import { dialog } from '../ui/dialog.js';
import { pieces } from './ansi.js';
import { statesOf } from './log_was.js';

const words = text.logs;
const STATES_MAX = 200;
const LONG = 10240;

function drawn(state) {
	const shown = pieces(state.slice(-LONG)).map(({ text: part, look }) => look ? el('span', { class: look }, asWritten(part)) : asWritten(part));
	return el('li', {}, shown);
}

export function showStates(line) {
	const states = statesOf(line);
	const last = states.slice(-STATES_MAX);
	const told = last.length < states.length ? words.lastStates(count(last.length), count(states.length)) : '';
	dialog(words.statesTitle(line.label, line.line), [
		el('p', { class: 'muted' }, words.statesWhy, told && ` ${told}`),
		el('ol', { class: 'log-was', tabindex: 0, start: states.length - last.length + 1, 'aria-label': words.statesList },
			last.map(drawn)),
	], { look: 'wide' });
}
