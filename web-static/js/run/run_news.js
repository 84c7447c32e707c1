/* Changes of a run and its writers since the last report, in words. Pure. */

import { count } from '../base/format.js';
import { stateWord, text } from '../text/common.js';
import { lostLabels } from './writer_lost.js';

const words = text.news;
const NAMED = 3;

function names(labels) {
	const more = labels.length - NAMED;
	return labels.slice(0, NAMED).join(', ') + (more > 0 ? ` ${words.more(count(more))}` : '');
}

/* writers: with what is shown of them. */
export function runNow(run, writers) {
	return { state: run.state, lost: lostLabels(writers) };
}

/* Both of runNow(); '' where they are alike. */
export function runWords(before, now) {
	const gone = now.lost.filter((label) => !before.lost.includes(label));
	const back = before.lost.filter((label) => !now.lost.includes(label));
	return [before.state !== now.state && words.state(stateWord(now.state)), gone.length > 0 && words.lost(names(gone)),
		back.length > 0 && words.back(names(back))].filter(Boolean).join(' ');
}
