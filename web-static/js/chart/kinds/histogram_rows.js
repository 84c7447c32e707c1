/* The histograms of a run, as many of them as are looked at. */

import { listText } from '../../base/query_text.js';
import { someRows } from '../data/some_rows.js';
import { histogramOf } from './histogram.js';

export const MOST = 600;
const PARTS = ['values', 'bins', 'packedBins.min', 'packedBins.size', 'packedBins.count'];

/* {histograms, odd, every} or {fault}: `odd` rows are no histograms. zoom: [from, to] in steps, or null. */
export async function readHistograms(path, key, { zoom = null, signal }) {
	const keys = listText(PARTS.map((part) => `${key}.${part}`));
	const [from, to] = zoom || [null, null];
	const { rows, every, fault } = await someRows(path, { most: MOST, keys, from, to, signal });
	if (!rows) return { fault };
	const histograms = rows.map((row) => histogramOf(row, key)).filter(Boolean).sort((a, b) => a.step - b.step);
	return { histograms, odd: rows.length - histograms.length, every };
}
