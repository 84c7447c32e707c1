/*
 * A group as addresses name it: `config.opt~text:adam`, and behind another `~` the next key within it; within names
 * this sign is written as %7E, and % as %25.
 */

import { decoded } from '../../base/query_text.js';

const VALUES = { number: Number, bool: (rest) => rest === 'true', null: () => null, none: () => null };

function escaped(text) {
	return text.replace(/[%~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/* within: [{key, group}], the outermost first, as group_tree.js has it. */
export function pathText(within) {
	return within.map(({ key, group }) => `${escaped(key)}~${escaped(group.group)}`).join('~');
}

/* `group` is the server's name of it: its kind, and behind a colon its value. */
function groupOf(group) {
	const cut = group.indexOf(':');
	const kind = cut < 0 ? group : group.slice(0, cut);
	const rest = cut < 0 ? '' : group.slice(cut + 1);
	return { group, kind, value: Object.hasOwn(VALUES, kind) ? VALUES[kind](rest) : rest };
}

/* Null for what names no group. */
export function readPath(text) {
	const parts = text.split('~').map(decoded);
	if (parts.length % 2 || parts.some((part) => !part)) return null;
	return Array.from({ length: parts.length / 2 },
		(_, at) => ({ key: parts[2 * at], group: groupOf(parts[2 * at + 1]) }));
}

/* Returns its id in a selection. Ids of runs do not contain this sign. */
export function selectedId(within) {
	return `~${pathText(within)}`;
}

/* Returns the paths of selected groups that are by these keys. */
export function selectedPaths(ids, keys) {
	const paths = [...ids].filter((id) => id[0] === '~').map((id) => id.slice(1));
	return paths.filter((path) => readPath(path).every(({ key }, at) => key === keys[at]));
}
