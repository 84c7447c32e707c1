/* Rows that are selected: one by a click, more with Ctrl, a range with Shift from where it began. */

export function newSelection() {
	return { ids: new Set(), anchor: null };
}

/* `range(from, to)` names the runs between two places of the list. */
export function selectRow(selection, row, how, range) {
	if (how === 'range' && selection.anchor !== null) {
		const ends = [selection.anchor, row.place].sort((a, b) => a - b);
		return { ids: new Set([...selection.ids, ...range(...ends)]), anchor: selection.anchor };
	}
	const ids = how === 'toggle' ? new Set(selection.ids) : new Set();
	if (how !== 'toggle') ids.add(row.id);
	else if (!ids.delete(row.id)) ids.add(row.id);
	return { ids, anchor: row.place };
}
