/* Expected writers of a run and which of them write. The config or a user sets how many there are. */

import { byLabel } from '../../base/writer_order.js';

const NUMBERED = /^(.*\D|)(\d+)(\D*)$/;
const LAST_WORD = /([a-z]+)[^a-z]*$/i;

/* A label as [before, number, after]; "node1-rank5" is rank 5, of whichever node. */
function parted(label) {
	const [, before, digits, after] = NUMBERED.exec(label) || [];
	return digits === undefined ? null : { before, number: Number(digits), after };
}

const familyOf = ({ before, after }) => JSON.stringify([LAST_WORD.exec(before)?.[1] ?? before, after]);

/*
 * Returns the form that most labels have, such as "rank" before a number: {family, before, after, numbers, count: of
 * labels}. If the texts before that word differ ("node1-"), they are not in `before`.
 */
function form(labels) {
	const forms = new Map();
	for (const part of [...new Set(labels)].map(parted).filter(Boolean)) {
		const family = familyOf(part);
		if (!forms.has(family)) forms.set(family, { family, before: part.before, after: part.after, count: 0, numbers: new Set() });
		const one = forms.get(family);
		if (one.before !== part.before) one.before = JSON.parse(family)[0];
		one.numbers.add(part.number);
		one.count++;
	}
	return [...forms.values()].sort((a, b) => b.numbers.size - a.numbers.size)[0];
}

/* Returns the `others` that have the form of most labels but are not among them; [] if they outnumber the labels. */
export function missingOf(labels, others) {
	const { family, numbers } = form(labels) ?? { numbers: new Set() };
	const isAlike = (label) => {
		const part = parted(label);
		return part !== null && familyOf(part) === family && !labels.includes(label);
	};
	const missing = numbers.size > 1 ? others.filter(isAlike) : [];
	return missing.length <= labels.length ? missing : [];
}

/* Labels that never wrote, as far as they can be named; `unnamed` are those that cannot. */
export function neverSeen(labels, expected) {
	const known = form(labels);
	if (!known || known.numbers.size < 2) return { labels: [], unnamed: Math.max(0, expected - labels.length) };
	if (known.count > known.numbers.size) return { labels: [], unnamed: Math.max(0, expected - known.count) }; /* each host counts its own */
	const first = known.numbers.has(expected) && !known.numbers.has(0) ? 1 : 0;
	const missing = [];
	for (let number = first; number < expected + first; number++) {
		if (!known.numbers.has(number)) missing.push(`${known.before}${number}${known.after}`);
	}
	return { labels: missing, unnamed: 0 };
}

/* The latest writer of each label, in natural order. */
export function byName(writers) {
	const latest = new Map();
	for (const writer of writers) {
		if (writer.role !== 'hand') latest.set(writer.label, writer);
	}
	return [...latest.values()].sort((a, b) => byLabel(a.label, b.label));
}
