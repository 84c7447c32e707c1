/*
 * Which runs the charts draw: the first of the list by the rule, and what was chosen by hand. A choice by hand wins
 * over the rule, and nothing but another hand changes it.
 */

import { SHOWN_MOST } from './run_view.js';

/* How many of the list's first runs the rule draws. */
export function ruleCount(show, total) {
	if (show === 'picked' || show === 'base') return 0;
	return Math.min(show === 'all' ? SHOWN_MOST : Number(show), SHOWN_MOST, total);
}

export function isShown(view, id, place) {
	if (view.off.includes(id)) return false;
	if (view.on.includes(id) || view.base.includes(id)) return true;
	return place < ruleCount(view.show, Infinity);
}

/* The eye of a run: back to the rule where the rule says what is wanted. */
export function toggled(view, id, place) {
	const shown = isShown(view, id, place);
	const byRule = view.base.includes(id) || place < ruleCount(view.show, Infinity);
	const without = { on: view.on.filter((one) => one !== id), off: view.off.filter((one) => one !== id) };
	if (shown) return byRule ? { ...without, off: [...without.off, id] } : without;
	return byRule ? without : { ...without, on: [...without.on, id] };
}

/* Shows or hides many runs at once. */
export function allShown(view, runs, wanted) {
	let changed = { on: view.on, off: view.off };
	for (const { id, place } of runs) {
		const now = { ...view, ...changed };
		if (isShown(now, id, place) !== wanted) changed = toggled(now, id, place);
	}
	return changed;
}

/* How many are drawn, where the first runs of the list (as far as the rule goes) are known. */
export function shownCount(view, firstIds, total) {
	const most = ruleCount(view.show, total);
	const first = firstIds.slice(0, most);
	const ruled = new Set(first);
	const off = view.off.filter((id) => ruled.has(id) && !view.on.includes(id)).length;
	const more = new Set([...view.on, ...view.base].filter((id) => !ruled.has(id) && !view.off.includes(id)));
	return most - off + more.size;
}
