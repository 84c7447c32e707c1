/*
 * Says what failed and since when, with the request's id to copy and a button to retry: for panels, cards, parts of
 * files. While the same error repeats, the words stay the same, so that automatic retries do not take the focus away.
 */

import { el } from '../base/dom.js';
import { localClock } from '../base/moments.js';
import { text } from '../text/common.js';
import { button, iconButton } from './controls.js';
import { copy } from './copy.js';

const words = text.fault;

/* Returns the request's id with a button to copy it; if the server did not answer, there is none. */
export function requestId(answer) {
	const id = answer.body?.request_id;
	return id ? [' ', el('code', {}, id),
		iconButton('copy', words.copyId, { class: 'ibtn small', onclick: () => copy(id) })] : [];
}

/* Gives, of an answer that is a fault or of {detail}, what is said of it: nothing of none. again(): where there is. */
export function faultWords(again = null) {
	let told = null;
	return (fault) => {
		if (!fault) {
			told = null;
			return [];
		}
		const why = fault.detail || words.of(fault);
		if (told?.why !== why) told = { why, since: told?.since ?? localClock(new Date()), fault };
		return [`${words.ended(why)} ${words.since(told.since)}`, ...requestId(told.fault),
			again && [' ', button(words.again, { look: 'small', onclick: () => again() })]].flat().filter(Boolean);
	};
}
