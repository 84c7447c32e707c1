/* Data of the charts of a sweep: its trials with a value, and the names of their parameters, the most important first. */

import { flatParams, namesIn } from './figures.js';

/* Trials with a value, in the order of their numbers: [{trial, value, params: a Map}]. */
export function valuedTrials({ trials }) {
	return trials.filter(({ value, params }) => value !== null && params !== null).sort((a, b) => a.trial - b.trial)
		.map((trial) => ({ trial, value: trial.value, params: new Map(flatParams(trial.params)) }));
}

export function orderedNames({ trials, importance }) {
	const all = namesIn(trials);
	const ranked = (importance?.parameters ?? []).map(({ name }) => name).filter((name) => all.includes(name));
	return [...ranked, ...all.filter((name) => !ranked.includes(name))];
}
