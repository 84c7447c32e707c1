/* Measures to compare ranks by: a key of their rows, their speed and step, or a system metric. */

import { count, number } from '../base/format.js';
import { firstKey, slowSide } from '../chart/kinds/ranks.js';
import { shown } from '../chart/line/unit_words.js';
import { metricsOf, slowSideOf } from '../system/metrics.js';
import { text } from '../text/system.js';
import { text as writersText } from '../text/writers.js';

const words = writersText.runMeasures;
const DIGITS = 3;

const ofKey = (key) => ({ id: `key:${key}`, kind: 'key', name: key, side: slowSide(key), say: number });

/* Measures of writers, each with how its value is shown. */
const OF_WRITERS = {
	rows: (value) => words.perSecond(number(Number(value.toPrecision(DIGITS)))),
	step: (value) => words.step(count(Math.round(value))),
};

const ofWriters = () => Object.entries(OF_WRITERS).map(([kind, say]) => ({ id: kind, kind, name: words.names[kind],
	hint: words.ofWriters, side: 'low', say }));

function ofMetric(metric) {
	return { id: `system:${metric.id}`, kind: 'system', name: text.system.title(metric.id),
		hint: words.system(text.system.sections[metric.section]), side: slowSideOf(metric),
		say: (value) => shown(value, metric.unit), metric };
}

/*
 * keys: of rows, as REST has them; systemKeys: names. Each is told by another name: what would be called as a key of
 * rows says what it is.
 */
export function measuresOf(keys, systemKeys) {
	const numbers = keys.filter((key) => key.kinds.includes('number')).map((key) => key.key);
	const taken = new Set(numbers);
	const others = [...numbers.length ? ofWriters() : [], ...metricsOf(systemKeys).map(ofMetric)];
	return [...numbers.map(ofKey),
		...others.map((one) => taken.has(one.name) ? { ...one, name: `${one.name} (${one.hint})` } : one)];
}

/* The one to begin with; undefined where there is none. */
export function firstMeasure(keys, measures) {
	const key = firstKey(keys);
	return measures.find((one) => one.id === `key:${key}`) || measures[0];
}

/* As the address has it. */
export function measureIn(query, measures) {
	const id = query.has('key') ? `key:${query.get('key')}` : query.get('measure');
	return measures.find((one) => one.id === id);
}

/* The change of the address that leads to it. */
export function measureQuery(measure, first) {
	if (measure === first) return { key: null, measure: null };
	return measure.kind === 'key' ? { key: measure.name, measure: null } : { key: null, measure: measure.id };
}
