/* Values that writers sent differently: marked where the value stands, with all of them and a way to the conflicts. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/overview.js';
import { icon } from '../ui/icons.js';
import { cutWords, sides, values } from './conflict_card.js';

const words = text.runDocuments;

/* Returns the conflicts of one document by the dotted names of its values; `href` is the page of all conflicts. */
export function differing(conflicts, name, document, href) {
	const ofIt = conflicts.filter((one) => one.document === name).map((one) => [one, sides(one, document)]);
	return new Map(ofIt.filter(([, [, others]]) => others.length > 0)
		.map(([one, [held, others]]) => [one.key, { held, others, cut: cutWords(one), href, document: name }]));
}

/* How many values writers sent. */
function many(sent) {
	return new Set(sent.map(({ value }) => JSON.stringify(value))).size;
}

export function differsNode(key, { held, others, cut, href, document: name }) {
	const sent = [...held, ...others];
	return el('details', { class: 'differs' },
		el('summary', { title: words.differsWhy(key) }, icon('warn'), words.differs(count(many(sent)), cut)),
		el('p', {}, values(sent, 'b', name)), cut && el('p', { class: 'muted' }, cut), el('a', { href }, words.conflicts));
}
