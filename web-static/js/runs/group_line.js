/* Groups of the list as lines of charts: each is drawn over all of its runs, whatever of them is shown. */

import { text } from '../text.js';
import { both } from './filter_text.js';
import { groupFilter } from './run_query.js';
import { slotOf } from './slot.js';

const words = text.workspace;
const NAME = 60;
export const LINES_MOST = 64; /* groups that the server draws at once */

/* As hands choose them in the address, beside ids of runs. */
export function groupId({ group }) {
	return `~${encodeURIComponent(group.group)}`;
}

export function groupName({ kind, value }) {
	return kind === 'none' || kind === 'null' ? words.noValue : words.groupValue(String(value));
}

/* Null where no filter can say which runs they are. */
export function groupLine(node, filter) {
	const own = filter.trim().startsWith('{') ? null : groupFilter(node.key, node.group);
	const id = groupId(node);
	return own && { id, name: groupName(node.group).slice(0, NAME), filter: both(filter, own), slot: slotOf({ id }), color: null };
}

/* Two groups may look the same in words. */
export function withNames(lines) {
	const seen = new Map();
	return lines.map((line) => {
		const before = seen.get(line.name) ?? 0;
		seen.set(line.name, before + 1);
		return before ? { ...line, name: `${line.name} (${before + 1})` } : line;
	});
}
