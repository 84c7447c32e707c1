/* Notes on the groups of a comparison: invalid names, groups that are too large, groups without lines. */

import { el } from '../base/dom.js';
import { nameOf } from '../base/slot.js';
import { setQuery } from '../router.js';
import { text } from '../text/compare.js';
import { button } from '../ui/controls.js';
import { groupColumn } from './group_columns.js';

const words = text.compare;

/* Runs that a hand took out of groups, in the list of runs. */
function outNote({ length }) {
	return el('p', { class: 'note' }, words.group.out(length), ' ',
		button(words.group.countAll, { look: 'small', onclick: () => setQuery({ out: null }, { replace: false }) }));
}

/* view: paths as the address has them, and what is out of groups; countsOf(group): as of group_feed.js. */
export function groupNotes(view, groups, countsOf) {
	const wrong = view.groups.filter((path) => !groupColumn(path, { filter: '' }));
	const isOut = view.out.length > 0 && groups.length > 0;
	return [isOut && outNote(view.out), ...wrong.map(words.group.wrong), ...groups.flatMap((group) => [
		countsOf(group)?.isLarge && words.group.large(nameOf(group)),
		group.filter === null && words.group.noLine(nameOf(group)),
	])];
}
