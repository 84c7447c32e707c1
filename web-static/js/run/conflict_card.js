/* Keys that writers gave different values: which is shown, which is not, and who sent them. */

import { el } from '../base/dom.js';
import { count, number, written } from '../base/format.js';
import { moment } from '../base/moments.js';
import { text } from '../text/writers.js';
import { card } from '../ui/controls.js';
import { countedCard, table } from './card.js';

const words = text.runConflicts;
const SHOWN = 200;
const KEPT = 8; /* writers of a key, by the server */

function plain(value, document) {
	if (typeof value === 'number') return document === 'config' ? written(value) : number(value);
	return typeof value === 'string' ? value : JSON.stringify(value);
}

function at(document, key) {
	let value = document;
	for (const part of key.split('.')) value = value === undefined || value === null ? undefined : value[part];
	return value === undefined ? document[key] : value;
}

/* Writers whose value is what the document has, and the others. */
export function sides(conflict, document) {
	const held = JSON.stringify(at(document, conflict.key));
	const isHeld = (one) => JSON.stringify(one.value) === held;
	return [conflict.writers.filter(isHeld), conflict.writers.filter((one) => !isHeld(one))];
}

/* Words about the values of more writers than are kept; how often the key was sent differently is known of all. */
export function cutWords({ count: times, writers }) {
	return writers.length >= KEPT && times >= KEPT ? words.cut(count(KEPT), count(times)) : '';
}

/* document: whose they are. */
export function values(list, tag, document) {
	return list.map(({ value, label }, index) =>
		[index > 0 && ', ', el(tag, { class: 'mono clip', title: plain(value, document) },
			el('bdi', {}, plain(value, document).slice(0, 60))),
		el('span', { class: 'muted' }, ' ', el('bdi', {}, label))]);
}

function row(conflict, data) {
	const [held, others] = sides(conflict, data[conflict.document]);
	const cut = cutWords(conflict);
	return el('tr', {}, el('th', { scope: 'row' },
		el('bdi', {}, el('span', { class: 'muted' }, `${conflict.document}.`), conflict.key)),
		el('td', { class: 'wraps' }, held.length ? values(held, 'b', conflict.document) : el('span', { class: 'muted' }, cut ? words.unkept : words.edited)),
		el('td', { class: 'wraps' }, values(others, 's', conflict.document), cut && el('p', { class: 'muted' }, cut)),
		el('td', { class: 'mono soft' }, moment(conflict.changed_at)));
}

export function conflictCard(data) {
	const { conflicts } = data;
	if (!conflicts.length) return card(words.name, null, el('p', { class: 'note' }, words.none));
	return countedCard(words.name, words.what(count(conflicts.length)), null,
		table(words.name, words.heads, conflicts.slice(0, SHOWN).map((one) => row(one, data))),
		conflicts.length > SHOWN && el('p', { class: 'note' }, words.more(count(conflicts.length - SHOWN))));
}
