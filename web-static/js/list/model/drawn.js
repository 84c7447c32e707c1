/*
 * Lines of the charts, with their looks: runs, or the groups of runs and those of their runs that the user picked.
 * Runs picked by hand that the list has not read are read by their ids.
 */

import { nameOf, slotOf } from '../../base/slot.js';
import { countedFilter } from './counted.js';
import { groupId, groupLine, isLineShown, LINES_MOST, withNames } from './group_line.js';
import { isShown, ruleCount } from './shown.js';
import { tintOf } from './tint.js';

export function drawnRuns(model) {
	function looks(run, tint) {
		return { id: run.id, name: nameOf(run), slot: slotOf(run), color: tint?.of(run) ?? run.color ?? null, rows: run.rows,
			lastStep: run.last_step, writersListed: () => run.by?.writers };
	}

	function firsts(view) {
		const most = ruleCount(view.show, model.total() ?? 0);
		model.needFirst(most);
		return model.first(most).filter((run) => isShown(view, run.id, model.place(run.id)));
	}

	/* Returns the lines of groups; with several keys these are the innermost groups. */
	async function groups(view) {
		const places = new Map(model.groups().map((node, place) => [groupId(node), place]));
		const isDrawn = (node) => isLineShown(view, node, places.get(groupId(node.within[0])));
		const inner = await model.innermost(model.groups().filter(isDrawn), isDrawn, LINES_MOST);
		const slotOf = model.slotsFor(view);
		return withNames(inner.map((node) => groupLine(node, countedFilter(view), slotOf)).filter(Boolean));
	}

	/*
	 * {runs, groups, tint: what colours runs, or null; groups have hues of their own; scope: which runs the list has, and
	 * which of them count in its groups, and by what they are grouped}
	 */
	return async (view) => {
		const isGrouped = view.group.length > 0;
		const first = isGrouped ? [] : firsts(view);
		const there = new Set([...model.base(), ...first].map(({ id }) => id));
		const ids = view.on.filter((id) => !there.has(id) && !view.off.includes(id) && !id.startsWith('~'));
		const known = new Map(ids.length ? [...model.loaded(), ...model.opened()].map((run) => [run.id, run]) : []);
		const picked = [...ids.filter((id) => known.has(id)).map((id) => known.get(id)),
			...await model.byIds(ids.filter((id) => !known.has(id)))];
		const base = model.base().filter(({ id }) => !view.off.includes(id));
		const tint = view.tint && !isGrouped ? tintOf(view.tint, [...base, ...first, ...picked]) : null;
		const runs = [...base.map((run) => ({ ...looks(run, tint), isBase: true })),
			...[...first, ...picked].map((run) => looks(run, tint))];
		return { runs, tint, groups: isGrouped ? await groups(view) : [],
			scope: { filter: view.filter, counted: countedFilter(view), group: view.group, roles: view.roles } };
	};
}
