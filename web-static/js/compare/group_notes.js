/* What is said of the groups of a comparison: names that are none, groups that are too large, or have no lines. */

import { nameOf } from '../runs/slot.js';
import { text } from '../text.js';
import { groupColumn } from './group_columns.js';

const words = text.compare;

/* paths: as the address has them; told(group): as of group_feed.js. */
export function groupNotes(paths, groups, told) {
	const wrong = paths.filter((path) => !groupColumn(path, ''));
	return [...wrong.map(words.group.wrong), ...groups.flatMap((group) => [
		told(group)?.isLarge && words.group.large(nameOf(group)),
		group.filter === null && words.group.noLine(nameOf(group)),
	])];
}
