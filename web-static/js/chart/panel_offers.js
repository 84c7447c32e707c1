/* What panels can be made of: keys of history, histograms, what runs have. */

import { query } from '../router.js';
import { defaultColumns } from '../runs/columns.js';
import { categoriesFirst, numbersFirst } from '../runs/key_order.js';
import { knownKeys } from '../runs/known_keys.js';
import { metricColumn, summaryColumn } from '../runs/metric_column.js';
import { readView } from '../runs/run_view.js';

/*
 * place: {entity, project}; now(): {keys, kinds} as of panel_keys.js. Gives {list(need), which may have to ask, those
 * first that fit, keys()}.
 */
export function panelOffers(place, now) {
	const known = knownKeys(place);
	let learning = null; /* each time: runs have other keys by then, or nobody answered before */

	function keys() {
		const { keys: all, kinds } = now();
		return all.filter((key) => !kinds[key]);
	}

	async function ofRuns() {
		await (learning ||= known.learn().finally(() => learning = null));
		return known.keys();
	}

	/* In columns of the list, then in panels. */
	function shown() {
		const columns = readView(query()).columns ?? defaultColumns(false, known);
		return [...columns.map(({ key }) => summaryColumn(key) ?? key), ...keys().map((key) => metricColumn('', key))];
	}

	const values = async () => numbersFirst(await ofRuns(), known.isNumber, shown());

	const needs = {
		keys,
		values,
		fields: async () => (await values()).filter(known.isNumber),
		categories: async () => categoriesFirst(await ofRuns(), known.isNumber),
		histograms: () => now().keys.filter((key) => now().kinds[key] === 'histogram'),
	};
	return { keys, list: async (need) => needs[need]?.() || [] };
}
