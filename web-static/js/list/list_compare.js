/* The way from what is selected in the list to its comparison. */

import { hrefOf } from '../address.js';
import { listText, queryOf } from '../base/query_text.js';
import { go } from '../router.js';
import { writeView } from './model/run_view.js';

/* Baselines first, groups last, with the metrics that are kept at the left. */
export function compareRuns({ entity, project }, { view, columns, selection }) {
	const groups = listText(selection.groups());
	const ids = selection.runs().map(({ id }) => id);
	const runs = [...view.base, ...ids.filter((id) => !view.base.includes(id))];
	const pinned = columns.filter((column) => column.pinned && column.key.startsWith('summary.'));
	const pins = pinned.map(({ key }) => key.slice('summary.'.length));
	const ofGroups = groups && { groups, q: view.filter, ...writeView({ roles: view.roles, out: view.out }) };
	go(`${hrefOf(entity, project, 'compare')}?${queryOf({ runs: listText(runs), ...ofGroups, pin: listText(pins) })}`);
}
