/* A view that somebody else saved since it was opened: what becomes of one's own changes is for its reader to say. */

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
