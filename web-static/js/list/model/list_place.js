/*
 * The place that holds the view of a list of runs: the address. A list next to a run, where the address is the run's,
 * has a place of its own, which begins as the project's list was last left in this tab.
 */

import { onQuery, query, setQuery } from '../../router.js';

export const inAddress = { query, setQuery, onQuery };

const nameOf = ({ entity, project }) => `cairn-list ${entity}/${project}`;

function stored(address) {
	try {
		return sessionStorage.getItem(nameOf(address)) || '';
	} catch {
		return '';
	}
}

export function rememberPlace(address, params) {
	try {
		sessionStorage.setItem(nameOf(address), params.toString());
	} catch { /* storage is switched off: the list next to a run begins with the view of the project */ }
}

export function ownPlace(address) {
	const listeners = new Set();
	const params = new URLSearchParams(stored(address));
	const now = () => new URLSearchParams(params);

	return {
		query: now,
		setQuery(changes) {
			const before = params.toString();
			for (const [name, value] of Object.entries(changes)) {
				if (value === null) params.delete(name);
				else params.set(name, value);
			}
			if (params.toString() === before) return;
			rememberPlace(address, params);
			for (const listener of [...listeners]) listener(now());
		},
		onQuery(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}
