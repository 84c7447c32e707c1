/* States of sweeps and trials: those of runs and a few more. */

import { el } from '../base/dom.js';
import { stateWord } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { hasIcon, icon } from '../ui/icons.js';

/* Which state of runs they look like. */
const LOOKS = { paused: 'preempted', canceled: 'killed', handed_out: 'pending', deleted: 'missing' };

export function badge(state, look = '') {
	const shape = LOOKS[state] ?? state;
	return el('span', { class: `state ${shape} ${look}`.trim() }, icon(hasIcon(shape) ? shape : 'missing'), text.sweepStates[state] ?? stateWord(state));
}
