/* Groups of the list as lines of charts: each is drawn over all of its runs, whatever of them is shown. */

import { readPath, selectedId } from './group_path.js';
import { groupSlots } from './group_slots.js';
import { groupName, ownOf } from './names.js';
import { filterWithin, withinQuery } from './run_query.js';
import { isShown, toggled } from './shown.js';

const NAME = 60;
export const LINES_MOST = 64; /* groups that the server draws at once */

/* Returns its id in `on` and `off` of the address, which also have ids of runs. */
export function groupId({ group }) {
	return `~${encodeURIComponent(group.group)}`;
}

/* The same of a group within others, which its path tells apart. */
export function lineId(node) {
	return node.depth ? selectedId(node.within) : groupId(node);
}

/* Returns the ids of a group and of the groups that it is within, except the outermost. */
const innerIds = ({ within }) => within.slice(1).map((_, at) => selectedId(within.slice(0, at + 2)));

/* A group's eye hides what is within it; place: of the outermost, by which the rule counts. */
export function isLineShown(view, node, place) {
	return isShown(view, groupId(node.within[0]), place) && !innerIds(node).some((id) => view.off.includes(id));
}

/* The eye of one within others: what is shown with it are those that it is within. */
export function lineToggled(view, node, place) {
	if (isLineShown(view, node, place)) return { off: [...view.off, lineId(node)] };
	const path = innerIds(node);
	const shown = { on: view.on, off: view.off.filter((id) => !path.includes(id)) };
	const outer = groupId(node.within[0]);
	return isShown(view, outer, place) ? shown : toggled({ ...view, ...shown }, outer, place);
}

/* Without those within others by these keys. */
export function withoutInner(off, keys) {
	const isInner = (id) => {
		const path = id[0] === '~' ? readPath(id.slice(1)) ?? [] : [];
		return path.length > 1 && path.every(({ key }, at) => key === keys[at]);
	};
	return off.filter((id) => !isInner(id));
}

/* Null where no filter can say which runs they are. `of` is how the server is asked for what these have on average. */
export function groupLine(node, filter, slotOf = groupSlots({})) {
	const id = lineId(node);
	const own = filterWithin(filter, node.within);
	if (own === null) return null;
	const name = node.within.map(({ group }) => groupName(group)).join(', ').slice(0, NAME);
	const of = { filter: withinQuery(filter, node.within).filter ?? '', by: node.key, group: node.group.group,
		own: ownOf(node.within) };
	return { id, name, filter: own, of, slot: slotOf(node.within), color: null };
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
