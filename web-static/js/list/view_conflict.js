/* Asks what to do with changes of a view that another user saved since it was opened. */

import { el } from '../base/dom.js';
import { localMoment } from '../base/moments.js';
import { text } from '../text/list.js';
import { button } from '../ui/controls.js';
import { dialog } from '../ui/dialog.js';

const words = text.workspace.saved;

/* saveAs, load and overwrite are called for what was picked; without an answer all stays as it is. */
export function askConflict({ name, changed_by: who, changed_at: when }, { saveAs, load, overwrite }) {
	const pick = (done) => () => {
		card.close();
		done();
	};
	const card = dialog(words.conflict, el('p', {}, words.conflictHow(name, who, localMoment(when))), {
		actions: [
			button(words.overwrite, { look: 'danger', onclick: pick(overwrite) }),
			button(words.theirs, { onclick: pick(load) }),
			button(words.saveAs, { look: 'primary', onclick: pick(saveAs) }),
		],
	});
}
