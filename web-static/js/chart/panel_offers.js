/* What panels can be made of: keys of history, histograms, what runs have. */

import { knownKeys } from '../runs/known_keys.js';

/*
 * place: {entity, project}; now(): {keys, kinds} as of panel_keys.js. Gives {list(need), which may have to ask,
 * keys()}.
 */
export function panelOffers(place, now) {
	const known = knownKeys(place);
	let learning = null; /* each time: runs have other keys by then, or nobody answered before */

	function keys() {
		const { keys: all, kinds } = now();
		return all.filter((key) => !kinds[key]);
	}

	async function values() {
		await (learning ||= known.learn().finally(() => learning = null));
		return known.keys().filter((key) => !key.includes(','));
	}

	const fields = async () => (await values()).filter(known.isNumber);

	const needs = {
		keys,
		fields,
		values,
		histograms: () => now().keys.filter((key) => now().kinds[key] === 'histogram'),
	};
	return { keys, list: async (need) => needs[need]?.() || [] };
}
