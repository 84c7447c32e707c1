/* Compares the command and the code of a run with those of the baseline, line by line. */

import { el, replace } from '../base/dom.js';
import { count } from '../base/format.js';
import { diffLines } from '../base/text_diff.js';
import { surroundings } from '../run/facts.js';
import { text as compareText } from '../text/compare.js';
import { text } from '../text/facts.js';
import { dialog } from '../ui/dialog.js';

const words = compareText.compare;
const LINES = 5000;
const LOOKS = { '+': 'added', '-': 'gone', ' ': '' };

/* An option a line. */
function commandOf(about) {
	const facts = new Map(surroundings(about).map(([name, value]) => [name, value || '']));
	return { command: facts.get(text.runFacts.command).replaceAll(' --', '\n  --'),
		git: facts.get(text.runFacts.gitName) };
}

/* null where nothing differs. */
export function diffPart(name, before, after) {
	const lines = diffLines(before, after);
	if (!lines.some(([sign]) => sign !== ' ')) return null;
	return [el('h3', {}, name), el('pre', { class: 'diff', tabindex: 0 }, lines.slice(0, LINES).map(([sign, line]) =>
		el('div', { class: LOOKS[sign] }, `${sign} ${line}`))),
	lines.length > LINES && el('p', { class: 'muted' }, words.moreLines(count(lines.length - LINES)))];
}

/* base, run: {name, id, about}; readDiff(id): the text of its uncommitted changes. */
export async function showDiff(base, run, readDiff) {
	const body = el('div', { class: 'diff-parts' }, el('p', { class: 'muted' }, words.reading));
	dialog(words.diffHead(run.name, base.name), body, { look: 'wide' });
	const [before, after] = [commandOf(base.about), commandOf(run.about)];
	const changes = await Promise.all([readDiff(base.id), readDiff(run.id)]);
	const parts = [diffPart(words.diffParts.command, before.command, after.command),
		diffPart(words.diffParts.git, before.git, after.git),
		diffPart(words.diffParts.changes, ...changes)].filter(Boolean);
	replace(body, parts.length ? parts : el('p', { class: 'muted' }, words.noDiff));
}
