/*
 * What failed, since when, the id of the request to copy, and a way to ask again: of panels, cards, parts of files. As
 * long as it fails in the same way the same is said, so that what is asked by itself meanwhile takes no focus away.
 */

import { el } from '../base/dom.js';
import { localClock } from '../base/moments.js';
import { text } from '../text/common.js';
import { button, iconButton } from './controls.js';
import { copy } from './copy.js';

const words = text.fault;

/* Of an answer; what the server did not answer has none. */
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
