/*
 * Keys of groups that act as panels: each panel that draws groups stands there once for each of their values, over the
 * same axes. What hands picked beside groups is in all of them. Pure.
 */

import { columnName, groupValueName } from '../../list/model/names.js';
import { rolesOf } from '../../list/model/group_roles.js';
import { text } from '../../text/chart.js';

/* Returns the page's keys that act as panels. */
function panelKeys(scope) {
	return scope?.group ? Object.entries(rolesOf(scope)).filter(([, role]) => role === 'panel').map(([key]) => key) : [];
}

/* Identifies values. Null and missing values of runs cannot be distinguished: both are in one panel. */
const essence = (own, keys) => JSON.stringify(keys.map((key) => own[key] ?? null));

/* {name, id, keys, of}: of 1 and of "1" the names are the same, and the ids are not. */
function facetOf(keys, owns) {
	const [own] = owns;
	const pairs = (shown) => keys.map((key) => `${columnName(key)}=${shown(key)}`).join(', ');
	const names = (key) => [...new Set(owns.map((one) => groupValueName(one[key])))].join(text.panels.or);
	return { name: pairs(names), id: pairs((key) => JSON.stringify(own[key] ?? null)), keys, of: essence(own, keys) };
}

/* In the order of the groups; none where no key acts so. */
function facetsOf(groups, keys) {
	const found = new Map();
	for (const { of: { own } = {} } of keys.length ? groups : []) {
		const place = own && essence(own, keys);
		if (own) found.set(place, [...found.get(place) || [], own]);
	}
	return [...found.values()].map((owns) => facetOf(keys, owns));
}

/* Boxes by a key of their own are of no groups. */
const isFacetted = ({ kind, by }) => ['line', 'bar', 'scatter'].includes(kind) || (kind === 'box' && !by);

/* The panel of these values, as `of` of its facet. */
export const placeIn = (facet, own) => essence(own, facet.keys);

/* Whether a line or a mark is in the panel of these values. */
export const isWithin = (facet, { isGroup, of }) => !facet || !isGroup
	|| placeIn(facet, of?.own || {}) === facet.of;

/* Returns the lines of other panels whose panel has few lines; `shared` lines are in each panel. */
export function inFew(lines, { keys } = {}, { shared, most }) {
	const of = (line) => essence(line.of?.own || {}, keys);
	const counts = new Map();
	for (const line of lines) counts.set(of(line), (counts.get(of(line)) || 0) + 1);
	return lines.filter((line) => counts.get(of(line)) + shared <= most);
}

/* Sections with a panel for each of the values instead of each that draws groups, which is its `base`. */
export function facetted(sections, { groups, scope }) {
	const facets = facetsOf(groups, panelKeys(scope));
	if (!facets.length) return sections;
	const copy = (spec, facet) => ({ ...spec, id: `${spec.id} · ${facet.id}`, base: spec.id, facet });
	const copies = (spec) => facets.map((facet) => copy(spec, facet));
	return sections.map((section) => ({
		...section, panels: section.panels.flatMap((spec) => isFacetted(spec) ? copies(spec) : [spec]),
	}));
}
