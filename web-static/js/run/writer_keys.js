/* The keys that one label wrote, with how often and its own last values: read when it is opened. */

import { ask } from '../api.js';
import { el, replace } from '../base/dom.js';
import { count, number } from '../base/format.js';
import { listText } from '../base/query_text.js';
import { text } from '../text/writers.js';
import { table } from './card.js';

const words = text.runWriters;
const ASKED = 100; /* keys at once */
const READ = 1000; /* keys of the run that are looked through */

async function readPart(data, label, keys) {
	const query = new URLSearchParams({ keys: listText(keys), label, buckets: 1 });
	const answer = await ask('GET', `${data.path}/history?${query}`, undefined, data.options);
	return answer.status === 200 ? answer.body.series : null;
}

/* A series has one bucket. */
function itemOf({ key, buckets: [one] }) {
	return { key, rows: one.n + one.nan + one.pinf + one.ninf, last: one.last };
}

/* {items: [{key, rows, last}], more}: so many keys of the run were not looked at; null when they cannot be read. */
async function readKeys(data, label) {
	const answer = await ask('GET', `${data.path}/keys?limit=${READ}`, undefined, data.options);
	if (answer.status !== 200) return null;
	const keys = answer.body.items.filter(({ kinds }) => kinds.includes('number') || kinds.includes('nonfinite'))
		.map(({ key }) => key);
	const items = [];
	for (let at = 0; at < keys.length; at += ASKED) {
		const series = await readPart(data, label, keys.slice(at, at + ASKED));
		if (!series) return null;
		items.push(...series.filter(({ buckets }) => buckets.length > 0).map(itemOf));
	}
	return { items, isCut: answer.body.next_cursor !== null };
}

function row({ key, rows, last }) {
	return el('tr', {}, el('th', { scope: 'row' }, el('bdi', {}, key)), el('td', { class: 'num soft' }, count(rows)),
		el('td', { class: 'num' }, typeof last === 'number' ? number(last) : String(last)));
}

function nodesOf(found, label) {
	if (!found) return el('p', { class: 'fault' }, words.noKeysRead);
	const { items, isCut } = found;
	return [items.length ? table(words.keysOf(label), words.keyHeads, items.map(row), { class: 'writer-keys' })
		: el('p', { class: 'muted' }, words.noKeys), isCut && el('p', { class: 'note' }, words.keysCut(count(READ)))];
}

export function writerKeys(data, label) {
	const node = el('div', {}, el('p', { class: 'muted' }, words.readingKeys));
	readKeys(data, label).then((found) => replace(node, nodesOf(found, label)));
	return node;
}
