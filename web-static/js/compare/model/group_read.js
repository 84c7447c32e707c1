/*
 * Reads what is compared of a group: all keys of its runs, statistics of their numbers, the most frequent values of
 * config keys and of keys without numbers. If there are too many keys, only the first are read, and isLarge is set.
 */

import { listed, listText, queryOf } from '../../base/query_text.js';
import { GroupValue, NAMED, ofNumbers } from './group_value.js';

const FIELDS = 1000;
const STATISTICS = 64; /* keys of one question, the server's limit */
export const VALUES = 200; /* keys whose values are asked for */

const isDocument = (name) => /^(config|summary)\./.test(name) && !/^(config|summary)\._wandb(\.|$)/.test(name);
const isLeaf = ({ kinds }) => kinds.some((kind) => kind !== 'object');
const isNumeric = ({ kinds }) => kinds.includes('number');
const hasValues = ({ field, kinds }) => field.startsWith('config.')
	|| kinds.some((kind) => !['number', 'object'].includes(kind));

function chunks(all, size) {
	return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/* A list comes as the text that it begins with. */
function valueOf({ kind, value }) {
	if (kind === 'none') return undefined;
	if (kind !== 'list' && kind !== 'object') return value;
	try {
		return JSON.parse(value);
	} catch {
		return value;
	}
}

function itemsOf(answer) {
	return answer.body.items.map((item) => ({ value: valueOf(item), count: item.count }));
}

/*
 * question: of run_query.js' withinQuery(); key: by which it is a group; get(path, query) -> answer; some(items, work).
 * {fault} or {all, isLarge, config, summary}: values by the names of the keys.
 */
export async function readGroup({ question, key, get, some }) {
	const asked = (more) => queryOf({ ...question, ...more });
	const known = await get('fields', asked({ limit: FIELDS }));
	if (known.status !== 200) return { fault: known };
	const fields = known.body.items.filter((field) => isDocument(field.field) && isLeaf(field));
	const numeric = fields.filter(isNumeric).map(({ field }) => field);
	const valued = fields.filter(hasValues).map(({ field }) => field);
	const named = valued.slice(0, VALUES);
	const parts = chunks(numeric, STATISTICS);
	const [sums, values] = await Promise.all([
		some(parts.length ? parts : [[]], (of) => get('groups', asked({ by: listed(key), of: listText(of), limit: 1 }))),
		some(named, (by) => get('groups', asked({ by: listed(by), limit: NAMED }))),
	]);
	const fault = [...sums, ...values].find(({ status }) => status !== 200);
	if (fault) return { fault };
	const all = sums[0].body.items[0]?.count ?? 0;
	const numbers = new Map(parts.flatMap((of, at) => of.map((field, n) => [field, sums[at].body.items[0]?.numbers[n]])));
	const told = new Map([
		...numeric.filter((field) => numbers.get(field)?.count).map((field) => [field, ofNumbers(all, numbers.get(field))]),
		...named.map((field, at) =>
			[field, new GroupValue({ all, different: values[at].body.groups, items: itemsOf(values[at]),
			numbers: numbers.get(field) ?? null })]),
	]);
	const of = (section) => new Map([...told].filter(([name]) => name.startsWith(`${section}.`))
		.map(([name, value]) => [name.slice(section.length + 1), value]));
	return { all, isLarge: known.body.count > FIELDS || valued.length > VALUES, config: of('config'),
		summary: of('summary') };
}
