/* The selected runs and groups of the list. Rows are selected by their place; rows that come or go change nothing. */

import { selectedId, selectedPaths } from './model/group_path.js';
import { newSelection, selectRow } from './model/selection.js';

/* With Shift it is rows that are selected, not the text from where one clicked last to here. */
export function keepText(event) {
	if (event.shiftKey && !event.target.closest('a, button')) event.preventDefault();
}

/* changed() after each change that a person makes; rowAt(index) is a row of the model. */
export function listSelection({ model, rowAt, groupKeys, changed }) {
	let selection = newSelection();

	/* Groups are selected beside runs, to be compared. */
	function idAt(index) {
		const row = rowAt(index);
		return row.kind === 'group' ? selectedId(row.node.within) : row.run?.id;
	}

	/* The runs of the rows from one to another, with both. */
	function range(from, to) {
		return Array.from({ length: to - from + 1 }, (_, at) => rowAt(from + at).run?.id).filter(Boolean);
	}

	/* All that were read, each once or twice. */
	function known() {
		const listed = [...model.base(), ...model.loaded(), ...model.opened()];
		const ids = new Set(listed.map(({ id }) => id));
		return [...listed, ...model.others().filter(({ id }) => !ids.has(id))];
	}

	function become(next) {
		selection = next;
		changed();
	}

	return {
		range,
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
		only: (id) => become({ ids: new Set([id]), anchor: null }),
		clear: () => become(newSelection()),
		drop(gone) {
			selection = { ids: new Set([...selection.ids].filter((id) => !gone.has(id))), anchor: null };
		},
	};
}
