/* A part of an axis as a filter of runs. Pure. */

import { termText } from '../../base/filter_text.js';
import { scaleOf } from '../data/scale.js';

const WORDS_MOST = 20; /* of one key */

/* The values that lie between two places on the axis of all of them, from 0 to 1. */
export function within(values, { isLog = false, low, high }) {
	const scale = scaleOf(values, { isLog });
	return values.filter((value) => {
		const place = scale.at(value);
		return place !== null && place >= low && place <= high;
	});
}

/* The filter of what some runs have under a key: between the least and the greatest, or one of several words. */
export function filterOf(key, values) {
	const there = values.filter((value) => value !== undefined && value !== null && typeof value !== 'object');
	if (!there.length) return null;
	if (there.every((value) => typeof value === 'number')) {
		return `${termText(key, '>=', Math.min(...there))} ${termText(key, '<=', Math.max(...there))}`;
	}
	const words = [...new Set(there)].slice(0, WORDS_MOST).map((word) => termText(key, ':', word));
	return words.length > 1 ? `(${words.join(' or ')})` : words[0];
}
