/* Compares the metadata of two versions. Pure. */

import { leaves } from '../base/leaves.js';

const namedLeaves = (document) => new Map([...leaves(document)].map(([before, key, value, path]) => [path, { name: before + key, value }]));

/* [{name, change: 'added', 'removed', 'changed' or 'same', before, after}], by name; a side that has no such key is undefined. */
export function metadataDiff(before, after) {
	const [was, is] = [namedLeaves(before), namedLeaves(after)];
	return [...new Set([...was.keys(), ...is.keys()])].map((path) => {
		const [a, b] = [was.get(path), is.get(path)];
		const change = !a ? 'added' : !b ? 'removed' : JSON.stringify(a.value) === JSON.stringify(b.value) ? 'same' : 'changed';
		return { name: (a ?? b).name, change, before: a?.value, after: b?.value };
	}).sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

const numberOf = ({ version }) => Number(version.slice(1));

/* The version that another is compared with at first: the one before it, else the one after it; null if there is none. */
export function neighbourVersion(versions, version) {
	const others = versions.filter((one) => one.version !== version.version).sort((a, b) => numberOf(a) - numberOf(b));
	return others.findLast((one) => numberOf(one) < numberOf(version)) ?? others[0] ?? null;
}
