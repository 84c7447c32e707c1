/* Names of keys and groups of runs. */

import { text } from '../../text/common.js';

const words = text.names;

/* config.lr is "lr"; of two dots the rest is one name. */
export function columnName(key) {
	return words.fields[key] || key.replace(/^(config|summary)\./, '');
}

/* Names several keys at once; if two names would be the same, each of them is the whole key. */
export function columnNames(keys) {
	const all = keys.map(columnName);
	const isAlone = (name) => all.indexOf(name) === all.lastIndexOf(name);
	return new Map(keys.map((key, at) => [key, isAlone(all[at]) ? all[at] : key]));
}

function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/* Lists of words, as tags are, which the server may write as JSON. */
export function listText(value) {
	const list = typeof value === 'string' && value[0] === '[' ? parsed(value) : value;
	return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list.join(', ') : String(value);
}

export function groupName({ kind, value }) {
	if (kind === 'list') return listText(value);
	return kind === 'none' ? words.noValue : words.groupValue(String(value));
}

/* The same by the value alone, as ownOf() has it. */
export const groupValueName = (value) => groupName({ kind: value === undefined ? 'none' : '', value });

/* Returns the values that define a group, by its keys: null is a value, undefined means that its runs lack the key. */
export const ownOf = (within) => Object.fromEntries(within.map(({ key, group: { kind, value } }) =>
	[key, kind === 'none' ? undefined : value]));
