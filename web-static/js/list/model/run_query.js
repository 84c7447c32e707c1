/* Queries to the server for a list of runs: with the filter of the view, without its baselines, which are on top. */

import { isProgram, keyText, narrowed, termText, valueText } from '../../base/filter_text.js';
import { listed, listText } from '../../base/query_text.js';
import { noteEnd } from './late_rows.js';
import { metricOf } from './metric_column.js';
import { orderText } from './run_view.js';

const ALWAYS = ['writers'];

export function idFilter(ids) {
	return `id:${ids.map(valueText).join(',')}`;
}

/* None of these, as a condition of narrowed(). */
export const noneOf = (ids) => ({ text: `not ${idFilter(ids)}`, json: { id: { $nin: ids } } });

/* Any of these ids, or what one of the filters finds, which are all of the same form. */
export function anyOf(ids, filters) {
	const isJson = filters.some(isProgram);
	const some = isJson ? JSON.stringify({ id: { $in: ids } }) : idFilter(ids);
	const all = ids.length ? [some, ...filters] : filters;
	return isJson ? `{"$or": [${all.join(', ')}]}` : all.map((one) => `(${one})`).join(' or ');
}

function withoutBase(view) {
	return view.base.length ? narrowed(view.filter, [noneOf(view.base)]) : view.filter;
}

const GROUPS = {
	none: (key) => ({ text: `not has:${keyText(key)}`, json: { [key]: { $exists: false } } }),
	text: (key, value) => ({ text: `${keyText(key)}:"${value.replace(/[\\"]/g, '\\$&')}"`, json: { [key]: value } }),
	/* Requires the key to exist, because a missing key matches null, too. */
	null: (key) => ({ text: `has:${keyText(key)} ${termText(key, ':', null)}`,
		json: { $and: [{ [key]: { $exists: true } }, { [key]: null }] } }),
	number: (key, value) => ({ text: termText(key, ':', value), json: { [key]: value } }),
	bool: (key, value) => ({ text: termText(key, ':', value), json: { [key]: value } }),
};

/* A group as a condition of narrowed(), and as a filter; null where a filter cannot say it. */
export const groupCondition = (key, { kind, value }) => Object.hasOwn(GROUPS, kind) ? GROUPS[kind](key, value) : null;
export const groupFilter = (key, group) => groupCondition(key, group)?.text ?? null;

/* The filter of a group within others; null where a filter cannot say it. */
export function filterWithin(filter, within) {
	const conditions = within.map(({ key, group }) => groupCondition(key, group));
	return conditions.includes(null) ? null : narrowed(filter, conditions);
}

/* The query of a list within groups: `within` is [{key, group}], the outermost first. */
export function withinQuery(filter, within) {
	const inner = within.at(-1);
	const outer = within.slice(0, -1).map(({ key, group }) => groupCondition(key, group)).filter(Boolean);
	return {
		filter: narrowed(filter, outer) || null,
		group_by: inner ? listed(inner.key) : null,
		group: inner ? inner.group.group : null,
	};
}

/* The keys whose values each run is asked for; `values` of a run are in this order. */
export function askedKeys(columns, { group, tint }) {
	const own = [tint, ...columns.map(({ key }) => key)].filter((key) => key && !metricOf(key));
	return [...new Set([...ALWAYS, ...group, ...own])].slice(0, 64);
}

export function listQuery(view, keys, within = []) {
	return { ...withinQuery(within.length ? view.filter : withoutBase(view), within), order: orderText(view.sort),
		keys: listText(keys) };
}

/* A run that came, with the values under keys by their names. */
export function withValues(run, keys) {
	const { values = [], ...rest } = run;
	noteEnd(run);
	return { ...rest, by: Object.fromEntries(keys.map((key, at) => [key, values[at] ?? null])) };
}

/* Which runs there are, and in which order. */
export function orderOf(view) {
	return JSON.stringify([view.filter, orderText(view.sort), view.group]);
}

/* Returns a text of everything that is asked of the server; if it changes, the rows are read again. */
export function essenceOf(view, columns) {
	const own = columns.filter(({ key }) => !metricOf(key));
	const keys = own.map(({ key, isNumber }) => view.group.length ? [key, isNumber] : key);
	return JSON.stringify([orderOf(view), view.base, view.tint, keys]);
}
