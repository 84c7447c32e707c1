/* Which runs and groups of the list charts show: the eyes of its rows, and what the rule counts by. */

import { groupId, isLineShown, LINES_MOST, lineToggled, withoutInner } from '../runs/group_line.js';
import { allShown, isShown, ruleCount, shownCount, toggled } from '../runs/shown.js';

/* view(): as the address has it; set(changes): into the address. */
export function listEyes({ model, view, set }) {
	const isGrouped = () => view().group.length > 0;
	const groupIds = () => model.groups().map(groupId);

	/* The rule counts groups where there are any; runs of theirs are drawn when a hand picks them. */
	function placeOf(id) {
		if (!isGrouped()) return model.place(id);
		const place = groupIds().indexOf(id);
		return place < 0 ? Infinity : place;
	}

	const placeOfLine = (node) => placeOf(groupId(node.within[0]));
	const isRunShown = (id) => isShown(view(), id, placeOf(id));

	function flipAll() {
		const ids = isGrouped() ? groupIds() : model.loaded().map(({ id }) => id);
		const wanted = !ids.some(isRunShown);
		const next = allShown(view(), ids.map((id) => ({ id, place: placeOf(id) })), wanted);
		set(wanted ? { ...next, off: withoutInner(next.off, view().group) } : next);
	}

	/* How many are drawn, of one key or of none. */
	function count() {
		if (isGrouped()) return shownCount(view(), groupIds(), Math.min(groupIds().length, LINES_MOST));
		const first = model.first(ruleCount(view().show, Infinity)).map(({ id }) => id);
		return shownCount(view(), first, (model.total() ?? 0) - model.base().length);
	}

	return {
		count, flipAll,
		isShown: isRunShown,
		isLineShown: (node) => isLineShown(view(), node, placeOfLine(node)),
		flipLine: (node) => set(lineToggled(view(), node, placeOfLine(node))),
		flipEye: (id) => set(toggled(view(), id, placeOf(id))),
	};
}
