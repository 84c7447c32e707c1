/* Groups as columns next to runs: their names, their colours, and what is requested and drawn for them. */

import { countedFilter } from '../list/model/counted.js';
import { withNames } from '../list/model/group_line.js';
import { readPath, selectedId } from '../list/model/group_path.js';
import { columnName, groupName, ownOf } from '../list/model/names.js';
import { filterWithin, withinQuery } from '../list/model/run_query.js';
import { rolesOf } from '../list/model/group_roles.js';

const NAME = 60; /* of a line of charts, the server's limit */

/*
 * path: of list/model/group_path.js; view: with the filter of all groups, and what is out of them. Null for what names no
 * group. It has the names and the colour of a run.
 */
export function groupColumn(path, view) {
	const within = readPath(path);
	if (!within) return null;
	const id = selectedId(within);
	const filter = countedFilter(view);
	return {
		id, path, isGroup: true, color: null,
		display_name: within.map(({ key, group }) => `${columnName(key)}: ${groupName(group)}`).join(', '),
		within,
		key: within.at(-1).key,
		question: withinQuery(filter, within),
		filter: filterWithin(filter, within), /* null where none can say which runs they are */
		own: ownOf(within),
	};
}

/*
 * With the colours that they have in the workspace; slots: of group_names.js; roles: what keys act as, in their order.
 */
export function colored(columns, slots, roles) {
	return columns.map((column) => {
		const { within } = column;
		const slotOf = slots(rolesOf({ group: within.map(({ key }) => key), roles }));
		return { ...column, color_slot: slotOf(within) };
	});
}

/* As group_line.js has it. */
function asked({ question, key, own }) {
	return { filter: question.filter ?? '', by: key, group: question.group, own };
}

/* As charts draw them, by the ids of the columns. */
export function linesOf(columns) {
	const drawn = columns.filter(({ filter }) => filter !== null);
	return withNames(drawn.map((column) => ({ id: column.id, name: column.display_name.slice(0, NAME),
		filter: column.filter,
		of: asked(column), slot: column.color_slot, color: null })));
}
