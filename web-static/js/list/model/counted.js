/*
 * Which runs count in the numbers of groups: all that the filter finds, but for those that a hand has taken out in this
 * view (`out` of the address). Whoever asks for a group asks by the filter from here. Pure.
 */

import { narrowed } from '../../base/filter_text.js';
import { noneOf } from './run_query.js';
import { OUT_MOST } from './run_view.js';

export const isCounted = ({ out }, id) => !out.includes(id);

/* Returns the filter for the runs that count in groups. */
export function countedFilter({ filter, out = [] }) {
	return out.length ? narrowed(filter, [noneOf(out)]) : filter;
}

/* How many of the list's runs are out of its groups; if there are none, one request is enough. */
export const isAllCounted = ({ group, out = [] }) => !group.length || !out.length;

/* These count, or do not; null: they would be more than a view can take out. */
export function counting({ out }, ids, wanted) {
	const others = out.filter((id) => !ids.includes(id));
	const next = wanted ? others : [...others, ...ids];
	return next.length > OUT_MOST ? null : { out: next };
}

/*
 * Groups by the filter only, in that order, with the numbers of their runs that count. `all` is the number of runs of
 * each. isCut: the server has more groups than it returned, and a missing one may be among them.
 */
export function countedIn(plain, counted, isCut) {
	const found = new Map(counted.map((group) => [group.group, group]));
	const none = (group) => isCut ? null : { ...group, count: 0, numbers: [], different: [] };
	return plain.map((group) => ({ told: found.get(group.group) ?? none(group), all: group.count }))
		.filter(({ told }) => told).map(({ told, all }) => ({ ...told, all }));
}
