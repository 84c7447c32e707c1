/* What panels can be made of: keys of history, histograms, fields of runs that are numbers. */

import { knownKeys } from '../runs/known_keys.js';

/*
 * place: {entity, project}; now(): {keys, kinds} as of panel_keys.js. Gives {list(need), which may have to ask,
 * keys()}.
 */
export function panelOffers(place, now) {
	const known = knownKeys(place);
	let learnt = null;

	function keys() {
		const { keys: all, kinds } = now();
		return all.filter((key) => !kinds[key]);
	}

	async function fields() {
		await (learnt ||= known.learn());
		return known.keys().filter((key) => known.isNumber(key) && !key.includes(','));
	}

	const needs = { keys, fields, histograms: () => now().keys.filter((key) => now().kinds[key] === 'histogram') };
	return { keys, list: async (need) => needs[need]?.() || [] };
}
