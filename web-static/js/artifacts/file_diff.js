/* Compares a file of two versions in a dialog: lines of a text, or rows of a table that have the same key. */

import { el, replace } from '../base/dom.js';
import { count } from '../base/format.js';
import { diffLines } from '../base/text_diff.js';
import { FileParts, filePath } from '../files/file_parts.js';
import { joinedFiles } from '../tables/table_file.js';
import { versionFiles } from '../tables/version_files.js';
import { text } from '../text/artifacts.js';
import { text as common } from '../text/common.js';
import { dialog } from '../ui/dialog.js';

const words = text.artifact.compare;
const LINES = 5000;
const NEAR = 3; /* lines around a change */
const LOOKS = { '+': 'added', '-': 'gone', ' ': '' };

/* Lines that are the same and not near a change are left out; null stands for them. */
function nearChanges(lines) {
	const near = lines.map(() => false);
	lines.forEach(([sign], at) => sign !== ' ' && near.fill(true, Math.max(0, at - NEAR), at + NEAR + 1));
	return lines.flatMap((line, at) => near[at] ? [line] : at === 0 || near[at - 1] ? [null] : []);
}

function linesNode(before, after) {
	const lines = nearChanges(diffLines(before, after));
	return [el('pre', { class: 'diff', tabindex: 0 }, lines.slice(0, LINES).map((line) =>
		line ? el('div', { class: LOOKS[line[0]] }, `${line[0]} ${line[1]}`) : el('div', { class: 'muted' }, '⋯'))),
	lines.length > LINES && el('p', { class: 'muted' }, words.moreLines(count(lines.length - LINES)))];
}

/* sides: [{name, path: of the version in REST}], the first is the earlier one; sizes: of the files. */
export async function showLines(path, sides, sizes) {
	const ends = new AbortController();
	const body = el('div', { class: 'diff-parts' }, el('p', { class: 'muted' }, words.reading));
	dialog(words.head(path, sides[0].name, sides[1].name), body, { look: 'wide', onclose: () => ends.abort() });
	const read = await Promise.all(sides.map((side, at) => new FileParts(filePath(side.path, path), sizes[at], { signal: ends.signal }).all()));
	const failed = read.find((part) => part.text === undefined);
	if (ends.signal.aborted) return;
	if (failed) replace(body, el('p', { class: 'fault', role: 'alert' }, failed.isBinary ? words.isBinary : common.fault.of(failed.fault ?? { status: 0 })));
	else replace(body, linesNode(read[0].text, read[1].text));
}

export function showRows(path, sides) {
	const keys = el('select', { id: 'diff-key', onchange: () => view.join(keys.value) });
	const view = joinedFiles({ name: path, key: null, parts: sides.map((side) => ({ name: side.name, source: { path: filePath(side.path, path) }, files: versionFiles(side.path) })),
		onkeys: (found, chosen) => replace(keys, found.map((key) => el('option', { value: key, selected: key === chosen }, key))) });
	dialog(words.head(path, sides[0].name, sides[1].name), [el('div', { class: 'row' }, el('label', { for: 'diff-key' }, words.joinedBy), keys),
		el('div', { class: 'diff-rows' }, view.node)], { look: 'wide', onclose: () => view.stop() });
}
