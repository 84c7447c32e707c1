/* Note above all panels: where samples are placed along steps, and how much time has no step. */

import { duration } from '../base/format.js';
import { text } from '../text/system.js';

const words = text.system;
const LEAST = 1e-3; /* seconds, below which it is no time */

const timeText = (seconds) => seconds < LEAST ? '' : seconds < 1 ? words.lessThanSecond : duration(seconds);
const most = (asides, name) => asides.reduce((so, aside) => Math.max(so, aside[name]), 0);

/* sheets: those that are there, over whatever x. */
export function stepNote(sheets, hasSteps) {
	const asides = sheets.map(({ aside }) => aside).filter(Boolean);
	if (!hasSteps) return words.noSteps;
	return [words.atSteps, words.withoutStep(timeText(most(asides, 'before')), timeText(most(asides, 'after')))].join(' ').trim();
}
