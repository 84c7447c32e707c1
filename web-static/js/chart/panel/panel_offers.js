/* Offers what panels can show: keys of history, histograms, fields of runs. */

import { defaultColumns } from '../../list/model/columns.js';
import { categoriesFirst, numbersFirst } from '../../list/model/key_order.js';
import { knownKeys } from '../../list/model/known_keys.js';
import { metricColumn, summaryColumn } from '../../list/model/metric_column.js';
import { readView } from '../../list/model/run_view.js';
import { query } from '../../router.js';

/*
 * place: {entity, project}; now(): {keys, kinds} as of panel_keys.js. Gives {list(need), which may have to ask, those
 * first that fit, keys()}.
 */
export function panelOffers(place, now) {
	const known = knownKeys(place);
	let learning = null; /* each time: runs may have other keys by then, or the request failed */

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

	const ofKind = (kind) => now().keys.filter((key) => now().kinds[key] === kind);
	const values = async () => numbersFirst(await ofRuns(), known.isNumber, shown());

	const needs = {
		keys,
		values,
		fields: async () => (await values()).filter(known.isNumber),
		categories: async () => categoriesFirst(await ofRuns(), known.isNumber),
		histograms: () => ofKind('histogram'),
		tables: () => ofKind('table'),
		media: () => ofKind('media'),
	};
	return { keys, list: async (need) => needs[need]?.() || [] };
}
