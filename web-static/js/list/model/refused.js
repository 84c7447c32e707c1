/* A view that the server refuses as it stands: which key of it is wrong, what may be meant, and the view without it. */

import { AT, metricColumn, metricOf } from './metric_column.js';
import { readView } from './run_view.js';

/* Asked again it would be refused again. */
export function isRefused(answer) {
	return answer?.status === 400 || answer?.status === 422;
}

export function unknownKey(answer) {
	return /unknown key "(.*)"/.exec(answer?.body?.detail ?? '')?.[1] ?? null;
}

function summaryKey({ key }) {
	const metric = metricOf(key);
	return metric && metric.how !== AT ? metricColumn('', metric.key) : key;
}

/* Whether the filter was refused. Of a JSON filter the field names the member: filter.$or[1].state. */
export function isOfFilter(answer) {
	return isRefused(answer) && /^filter($|[.[])/.test(answer.body?.field ?? '');
}

/* More runs than the server puts in order by a metric. */
export function isUnsorted(answer, sort) {
	return answer?.status === 422 && answer.body?.field === 'order' && sort.some((one) => summaryKey(one) !== one.key);
}

/* Metrics of the sort by their values in the summary, which sort any number of runs; each key once. */
export function bySummary(sort) {
	const keys = sort.map(summaryKey);
	return sort.map((one, at) => ({ ...one, key: keys[at] })).filter(({ key }, at) => keys.indexOf(key) === at);
}

/* One letter more, less or another. */
function isAlmost(one, other) {
	if (Math.abs(one.length - other.length) > 1) return false;
	let from = 0;
	while (from < one.length && one[from] === other[from]) from++;
	const rest = (word, isLonger) => word.slice(from + (isLonger ? 1 : 0));
	return rest(one, one.length >= other.length) === rest(other, other.length >= one.length);
}

/* The key that has this name within its document, one that is almost it, or the shortest that begins so; '' where there is none. */
export function likeKey(typed, keys) {
	const nameOf = (key) => key.replace(/^(config|summary)\./, '').toLowerCase();
	const [wanted, name] = [typed.toLowerCase(), nameOf(typed)];
	return keys.find((key) => nameOf(key) === name)
		?? keys.find((key) => name.length > 2 && (isAlmost(key.toLowerCase(), wanted) || isAlmost(nameOf(key), name)))
		?? keys.filter((key) => name.length > 2 && nameOf(key).startsWith(name)).sort((a, b) => a.length - b.length)[0]
		?? '';
}

/* Returns the changes that put another key into the place of one; null: the view does not have it. */
export function withKeyInstead(view, key, other) {
	const named = (one) => one === key ? other : one;
	const renamed = (list) => list?.some((one) => one.key === key) && list.map((one) => ({ ...one, key: named(one.key) }));
	const [sort, columns] = [renamed(view.sort), renamed(view.columns)];
	const changes = {
		...view.group.includes(key) && { group: view.group.map(named) },
		...sort && { sort },
		...columns && { columns },
		...view.tint === key && { tint: other },
	};
	return Object.keys(changes).length ? changes : null;
}

/* Returns the changes that remove the key from the view; if no part of the view is that key, all defaults. */
export function withoutKey(view, key) {
	const standard = readView(new URLSearchParams());
	const isOther = (one) => one !== key;
	const sort = view.sort.filter((one) => isOther(one.key));
	const columns = view.columns?.filter((one) => isOther(one.key));
	const changes = {
		...view.group.includes(key) && { group: view.group.filter(isOther),
			roles: view.roles.filter((_, at) => isOther(view.group[at])) },
		...sort.length < view.sort.length && { sort: sort.length ? sort : standard.sort },
		...view.columns && columns.length < view.columns.length && { columns: columns.length ? columns : null },
		...view.tint === key && { tint: standard.tint },
	};
	if (Object.keys(changes).length) return changes;
	const { sort: first, group, roles, columns: none, tint } = standard;
	return { sort: first, group, roles, columns: none, tint };
}
