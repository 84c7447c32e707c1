/* How much of what a run sent could not be kept: a line above everything else, and a dialog with what it was. */

import { el } from '../dom.js';
import { count } from '../format.js';
import { icon } from '../icons.js';
import { button } from '../parts/controls.js';
import { later } from '../parts/later.js';
import { redrawn } from '../parts/redrawn.js';
import { text } from '../text.js';

const words = text.leftOut;
const dialogs = later(() => import('../parts/late_dialogs.js'));

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
