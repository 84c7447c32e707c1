/* Why a part of a file is not shown; what did not come can be asked for again. */

import { el } from '../base/dom.js';
import { text } from '../text/files.js';
import { faultWords } from '../ui/fault_words.js';

const words = text.files;

export function partFault({ fault, isBinary, isChanged }, again) {
	if (isBinary) return el('p', { class: 'note' }, words.isBinary);
	if (isChanged) return el('p', { class: 'note', role: 'alert' }, words.changed);
	return el('p', { class: 'fault', role: 'alert' }, faultWords(again)(fault));
}
