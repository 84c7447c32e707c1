/* What is asked of the server for a list of runs: the filter of the view, without its baselines, which stand on top. */

import { both, keyText, termText, valueText } from './filter_text.js';
import { noteEnd } from './late_rows.js';
import { metricOf } from './metric_column.js';
import { orderText } from './run_view.js';

const ALWAYS = ['writers'];

export function idFilter(ids) {
	return `id:${ids.map(valueText).join(',')}`;
}

/* Filters of programs (JSON) are not added to. */
function withoutBase(view) {
	if (!view.base.length || view.filter.trim().startsWith('{')) return view.filter;
	return both(view.filter, `not ${idFilter(view.base)}`);
}

/* A group as a filter; null where a filter cannot say it. */
export function groupFilter(key, { kind, value }) {
	if (kind === 'none') return `not has:${keyText(key)}`;
	if (kind === 'text') return `${keyText(key)}:"${value.replace(/[\\"]/g, '\\$&')}"`;
	if (kind === 'null') return `has:${keyText(key)} ${termText(key, ':', null)}`; /* what is not there is null, too */
	return ['number', 'bool'].includes(kind) ? termText(key, ':', value) : null;
}

/* The query of a list within groups: `within` is [{key, group}], the outermost first. */
export function withinQuery(filter, within) {
	const inner = within.at(-1);
	const outer = within.slice(0, -1).map(({ key, group }) => groupFilter(key, group)).filter(Boolean);
	return {
		filter: outer.reduce(both, filter) || null,
		group_by: inner ? inner.key : null,
		group: inner ? inner.group.group : null,
	};
}

/* The keys whose values each run is asked for; `values` of a run are in this order. */
export function askedKeys(columns, { group, tint }) {
	const own = [tint, ...columns.map(({ key }) => key)].filter((key) => key && !key.includes(',') && !metricOf(key));
	return [...new Set([...ALWAYS, ...group, ...own])].slice(0, 64);
}

export function listQuery(view, keys, within = []) {
	return { ...withinQuery(within.length ? view.filter : withoutBase(view), within), order: orderText(view.sort),
		keys: keys.join(',') };
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

/* What the rows are asked again for: anything that changes what the server is asked. */
export function essenceOf(view, columns) {
	const own = columns.filter(({ key }) => !metricOf(key));
	const keys = own.map(({ key, isNumber }) => view.group.length ? [key, isNumber] : key);
	return JSON.stringify([orderOf(view), view.base, view.tint, keys]);
}
