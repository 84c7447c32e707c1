/* The runs that charts draw, with their looks; those picked by hand that the list has not read are read by their ids. */

import { isShown, ruleCount } from './shown.js';
import { slotOf } from './slot.js';

export function drawnRuns(model) {
	const others = new Map();

	function looks(run) {
		return { id: run.id, name: run.display_name || run.id, slot: slotOf(run), color: run.color ?? null, rows: run.rows, lastStep: run.last_step };
	}

	async function readOthers(ids) {
		const missing = ids.filter((id) => !others.has(id));
		for (const run of await model.byIds(missing)) others.set(run.id, run);
		return ids.map((id) => others.get(id)).filter(Boolean);
	}

	return async (view) => {
		const most = ruleCount(view.show, model.total() ?? 0);
		model.needFirst(most);
		const first = model.first(most).filter((run) => isShown(view, run.id, model.place(run.id)));
		const known = new Map(model.loaded().map((run) => [run.id, run]));
		const there = new Set([...model.base(), ...first].map(({ id }) => id));
		const ids = view.on.filter((id) => !there.has(id) && !view.off.includes(id));
		const picked = [...ids.filter((id) => known.has(id)).map((id) => known.get(id)), ...await readOthers(ids.filter((id) => !known.has(id)))];
		return [...model.base().filter(({ id }) => !view.off.includes(id)), ...first, ...picked].map(looks);
	};
}
