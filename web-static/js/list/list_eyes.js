/*
 * The eyes of the list's rows: which runs and groups charts show, and what the rule counts by; of a run within a group
 * whether it counts in the group's numbers.
 */

import { text } from '../text/list.js';
import { toast } from '../ui/controls.js';
import { counting, isCounted } from './model/counted.js';
import { groupId, isLineShown, LINES_MOST, lineToggled, withoutInner } from './model/group_line.js';
import { OUT_MOST } from './model/run_view.js';
import { allShown, isShown, ruleCount, shownCount, toggled } from './model/shown.js';

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
	function drawnCount() {
		if (isGrouped()) return shownCount(view(), groupIds(), Math.min(groupIds().length, LINES_MOST));
		const first = model.first(ruleCount(view().show, Infinity)).map(({ id }) => id);
		return shownCount(view(), first, (model.total() ?? 0) - model.base().length);
	}

	/* These count in their groups, or do not. */
	function count(ids, wanted) {
		const next = counting(view(), ids, wanted);
		if (next) set(next);
		else toast(text.workspace.outMost(OUT_MOST));
	}

	const flipEye = (id) => set(toggled(view(), id, placeOf(id)));
	const isIn = (id) => isCounted(view(), id);
	const flipCounted = (id) => count([id], !isIn(id));

	return {
		drawnCount, flipAll, flipEye, count, flipCounted,
		isShown: isRunShown,
		isCounted: isIn,
		isLineShown: (node) => isLineShown(view(), node, placeOfLine(node)),
		flipGroup: (node) => node.depth ? set(lineToggled(view(), node, placeOfLine(node))) : flipEye(groupId(node)),
		/* isMember: it is the row of a run within a group. */
		flipRun: (id, isMember) => isMember ? flipCounted(id) : flipEye(id),
	};
}
