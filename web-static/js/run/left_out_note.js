/* How much of what a run sent could not be kept: a line above everything else, and a dialog with what it was. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { text } from '../text/overview.js';
import { button } from '../ui/controls.js';
import { icon } from '../ui/icons.js';
import { later } from '../ui/later.js';
import { redrawn } from '../ui/redrawn.js';

const words = text.leftOut;
const dialogs = later(() => import('./left_out_dialog.js'));

function note(data) {
	const { left_out: values, unread_lines: lines } = data.run;
	if (!values && !lines) return null;
	return el('div', { class: 'note warn', role: 'status' }, icon('warn'),
		el('p', { class: 'grow' }, words.what(values, count(values), lines, count(lines))),
		button(words.show, { look: 'small', 'data-key': 'left-out', onclick: () => dialogs('showLeftOut', data) }));
}

/* {node, update}; there is nothing when all was kept. */
export function leftOutNote(data) {
	return redrawn(() => [data.run.left_out, data.run.unread_lines], () => note(data));
}
