/* Notes above the table: read errors, and what is missing or left out. */

import { el } from '../base/dom.js';
import { bytes, count } from '../base/format.js';
import { nameOf } from '../base/slot.js';
import { text as common } from '../text/common.js';
import { text } from '../text/compare.js';
import { groupNotes } from './group_notes.js';
import { KEYS } from './model/model.js';
import { DOCUMENT_BYTES, RUNS } from './model/read.js';

const words = text.compare;

/*
 * view, asked: runs of the address; runs, groups: that are there; isWhole: all runs that are there were found;
 * countsOf(group), largeOf(run): documents that are too large; sections: of the table. Gives texts and nodes.
 */
export function comparisonNotes({ view, asked: ids, runs, groups, isWhole, fault, countsOf, largeOf, sections }) {
	const found = new Set(runs.map(({ id }) => id));
	const missing = ids.filter((id) => !found.has(id));
	const asked = view.runs.length + view.groups.length;
	return [
		fault && el('p', { class: 'fault', role: 'alert' }, words.fault, ' ', common.fault.of(fault)),
		!asked && words.none,
		asked === 1 && (groups.length ? words.group.one : words.one),
		asked > RUNS && words.tooMany(RUNS),
		missing.length > 0 && isWhole && words.missing(missing.join(', ')),
		...sections.filter(({ rows }) => rows.length >= KEYS).map(({ id }) => words.cut(words.sections[id], count(KEYS))),
		...groupNotes(view, groups, countsOf),
		...runs.flatMap((run) => largeOf(run).map((what) => words.large(nameOf(run), what, bytes(DOCUMENT_BYTES)))),
	].filter(Boolean);
}
