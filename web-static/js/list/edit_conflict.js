/* Shows what another user changed in a run while the user edited it: both versions, to choose one. */

import { el } from '../base/dom.js';
import { localMoment } from '../base/moments.js';
import { diffLines } from '../base/text_diff.js';
import { text } from '../text/run_dialogs.js';
import { button } from '../ui/controls.js';
import { dialog } from '../ui/dialog.js';

const words = text.editConflict;
const LINES = 2000;
const LOOKS = { '-': 'gone', '+': 'added', ' ': '' };

function both(name, theirs, mine) {
	const lines = diffLines(String(theirs ?? ''), String(mine ?? ''));
	return [el('h3', {}, words.names[name]),
		el('pre', { class: 'diff', tabindex: 0, 'aria-label': words.names[name] }, lines.slice(0, LINES).map(([sign, line]) =>
			el('div', { class: LOOKS[sign] }, `${sign} ${line}`))),
		lines.length > LINES && el('p', { class: 'muted' }, words.cut(LINES))];
}

/* theirs, names: as of editRun(); mine: what was not saved. Without an answer all stays as it is typed. */
export function askEdited({ theirs, names }, mine, { overwrite, take }) {
	const pick = (done) => () => {
		card.close();
		done();
	};
	const { edited } = theirs;
	const who = edited && words.last(edited.user ?? words.somebody, localMoment(edited.at));
	const card = dialog(words.head, el('div', { class: 'diff-parts' },
		el('p', {}, words.how, who && ' ', who), el('p', { class: 'muted' }, words.signs),
		names.map((name) => both(name, theirs[name], mine[name]))), {
		look: 'wide',
		actions: [
			button(words.overwrite, { look: 'danger', onclick: pick(overwrite) }),
			button(words.theirs, { onclick: pick(take) }),
			button(words.back, { look: 'primary', onclick: () => card.close() }),
		],
	});
}
