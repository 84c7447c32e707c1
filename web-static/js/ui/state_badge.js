/* A state is always a shape and a word; the colour only helps. */

import { el } from '../base/dom.js';
import { hasIcon, icon } from './icons.js';
import { stateWord } from './state_word.js';

export function stateBadge(state, look = '') {
	return el('span', { class: `state ${state} ${look}`.trim() }, icon(hasIcon(state) ? state : 'missing'), stateWord(state));
}
