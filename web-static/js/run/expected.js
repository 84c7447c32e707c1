/* Who is to write, and who of them does: by how many the config says there are, or somebody said by hand. */

import { byLabel } from './writer_order.js';

const NUMBERED = /^(.*?)(\d+)(\D*)$/;

/* The form that most labels have, "rank" before a number: {before, after, numbers}. */
function form(labels) {
	const forms = new Map();
	for (const label of labels) {
		const [, before, digits, after] = NUMBERED.exec(label) || [];
		if (digits === undefined) continue;
		const name = JSON.stringify([before, after]);
		if (!forms.has(name)) forms.set(name, { before, after, numbers: new Set() });
		forms.get(name).numbers.add(Number(digits));
	}
	return [...forms.values()].sort((a, b) => b.numbers.size - a.numbers.size)[0];
}

/* Of `others` those that have the form of most labels and are none of them; none where that are more than there are labels. */
export function missingOf(labels, others) {
	const { before, after, numbers } = form(labels) ?? { numbers: new Set() };
	const isAlike = (label) => {
		const [, start, digits, end] = NUMBERED.exec(label) || [];
		return digits !== undefined && start === before && end === after && !labels.includes(label);
	};
	const missing = numbers.size > 1 ? others.filter(isAlike) : [];
	return missing.length <= labels.length ? missing : [];
}

/* Labels that never wrote, as far as they can be named; `unnamed` are those that cannot. */
export function neverSeen(labels, expected) {
	const known = form(labels);
	if (!known || known.numbers.size < 2) return { labels: [], unnamed: Math.max(0, expected - labels.length) };
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
