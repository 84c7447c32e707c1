/* What a state of a run is called. */

import { text } from '../text.js';

/* Of one that a newer server has its own name. */
export const stateWord = (state) => text.states[state] ?? state;
