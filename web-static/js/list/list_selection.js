/*
 * The selected runs and groups of the list. Rows are selected by their place; rows that come or go change nothing. A range
 * reaches from the row that was selected last, and replaces the range before it.
 */

import { selectedId, selectedPaths } from './model/group_path.js';

/* kept: what is selected outside of the range from the anchor. */
export const newSelection = () => ({ ids: new Set(), kept: new Set(), anchor: null });

/* `range(from, to)` returns the ids of the rows between two places of the list. */
function rangeTo(place, anchor, range) {
	return range(...[anchor, place].sort((a, b) => a - b));
}

/* how: 'one', 'toggle' or 'range'. */
export function selectRow(selection, { id, place }, how, range) {
	if (how === 'range' && selection.anchor !== null)
		return { ...selection, ids: new Set([...selection.kept, ...rangeTo(place, selection.anchor, range)]) };
	const ids = how === 'toggle' ? new Set(selection.ids) : new Set();
	if (how !== 'toggle') ids.add(id);
	else if (!ids.delete(id)) ids.add(id);
	return { ids, kept: new Set([...ids].filter((one) => one !== id)), anchor: place };
}

/* A click on a checkbox. isRange: all rows from the anchor get the new state of this one. A place below 0 is no anchor. */
export function checkRow(selection, { id, place }, isRange, range) {
	const isOn = !selection.ids.has(id);
	const some = isRange && selection.anchor !== null && place >= 0 ? rangeTo(place, selection.anchor, range) : [id];
	const ids = new Set([...selection.ids].filter((one) => !some.includes(one)));
	const kept = new Set(ids);
	if (isOn) some.forEach((one) => ids.add(one));
	return { ids, kept, anchor: place >= 0 ? place : selection.anchor };
}

/* With Shift it is rows that are selected, not the text from where one clicked last to here. */
export function keepText(event) {
	if (event.shiftKey && !event.target.closest('a, button')) event.preventDefault();
}

/* changed() after each change that a person makes; rowAt(index) is a row of the model. */
export function listSelection({ model, rowAt, groupKeys, changed }) {
	let selection = newSelection();

	/* Groups can be selected together with runs, to be compared. */
	function idAt(index) {
		const row = rowAt(index);
		return row.kind === 'group' ? selectedId(row.node.within) : row.run?.id;
	}

	const between = (from, to, idOf) => Array.from({ length: to - from + 1 }, (_, at) => idOf(from + at)).filter(Boolean);
	const range = (from, to) => between(from, to, idAt);

	/* All that were read, each once or twice. */
	function known() {
		const listed = [...model.base(), ...model.loaded(), ...model.opened()];
		const ids = new Set(listed.map(({ id }) => id));
		return [...listed, ...model.others().filter(({ id }) => !ids.has(id))];
	}

	/* Returns the ids that the checkbox in the head selects. */
	function all() {
		return groupKeys().length ? model.groups().map(({ within }) => selectedId(within))
			: [...model.base(), ...model.loaded()].map(({ id }) => id);
	}

	/* Groups are not found by rowOf(). */
	function placeOf(id) {
		return id[0] === '~' ? Array.from({ length: model.count() }, (_, at) => idAt(at)).indexOf(id) : model.rowOf(id);
	}

	function become(next) {
		selection = next;
		changed();
	}

	return {
		/* The runs of the rows from one to another, with both. */
		range: (from, to) => between(from, to, (at) => rowAt(at).run?.id),
		has: (id) => selection.ids.has(id),
		/* A run that was read, wherever it stands. */
		run: (id) => known().find((run) => run.id === id),
		/* These as they were read last. */
		asRead(runs) {
			const found = new Map(known().map((run) => [run.id, run]));
			return runs.map((run) => found.get(run.id) ?? run);
		},
		runs: () => [...new Map(known().filter(({ id }) => selection.ids.has(id)).map((run) => [run.id, run])).values()],
		/* Returns the selected groups of the present grouping; groups of an earlier one are ignored. */
		groups: () => selectedPaths(selection.ids, groupKeys()),
		/* Whether there is something to select at that place. */
		select(index, how) {
			const id = idAt(index);
			if (id) become(selectRow(selection, { id, place: index }, how, range));
			return Boolean(id);
		},
		placeOf,
		check: (id, isRange) => become(checkRow(selection, { id, place: placeOf(id) }, isRange, range)),
		hasAnchor: () => selection.anchor !== null,
		/* Returns whether all that checkAll() selects is selected, and whether anything is. */
		checked() {
			const ids = all();
			const count = ids.filter((id) => selection.ids.has(id)).length;
			return { all: count > 0 && count === ids.length, some: selection.ids.size > 0 };
		},
		checkAll: (isOn) => become({ ...newSelection(), ids: new Set(isOn ? all() : []) }),
		only: (id) => become({ ...newSelection(), ids: new Set([id]) }),
		clear: () => become(newSelection()),
		drop(gone) {
			selection = { ...newSelection(), ids: new Set([...selection.ids].filter((id) => !gone.has(id))) };
		},
	};
}
