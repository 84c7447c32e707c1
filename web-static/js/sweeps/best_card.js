/* The best value so far, along the trials or time, over the points of all trials. */

import { el } from '../base/dom.js';
import { number } from '../base/format.js';
import { wordsAmong } from '../base/value_words.js';
import { table } from '../run/card.js';
import { stateWord } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { segmented } from '../ui/segmented.js';
import { bestSoFar, bestTrial, flatParams } from './figures.js';
import { figureCard } from './figure_card.js';
import { plotHand } from './plot_hand.js';
import { pointPlot } from './point_plot.js';
import { runLink, runHref } from './run_link.js';

const words = text.sweep;
const HEIGHT = 300;
const HOUR_MS = 3600000;

export const stateOf = ({ state }) => text.sweepStates[state] ?? stateWord(state);

/* Returns why there is nothing to draw; null: there are values. */
export function reasonOf({ sweep, trials }) {
	if (!sweep.metric) return words.noMetricHow;
	return trials.some(({ value }) => value !== null) ? null : words.noValues;
}

/* A value of a parameter as text. */
export function wordsOf(value, numberWords = number) {
	if (typeof value === 'number') return numberWords(value);
	return typeof value === 'string' ? value : JSON.stringify(value);
}

/* (value) => text of a value of a parameter that has these values. */
export function wordsFor(values) {
	const wordOf = wordsAmong(values);
	return (value) => typeof value === 'number' ? number(value) : wordOf(value);
}

function bestNode(address, { sweep, trials }) {
	const best = sweep.metric && bestTrial(trials, sweep.metric.goal);
	if (!best) return null;
	return el('p', { class: 'sweep-best' }, el('b', { title: best.value }, number(best.value)), ' ', el('span', { class: 'soft' }, words.bestTrial(best.trial)), ' ',
		runLink(address, best), ' ', flatParams(best.params).map(([name, value]) => el('span', { class: 'chip', title: `${name} ${wordsOf(value, String)}` },
			el('bdi', { class: 'clip' }, `${name} ${wordsOf(value)}`))));
}

export function bestCard(address, feed) {
	let by = 'trial';
	let marked = null;
	const curve = () => bestSoFar(feed.trials, { goal: feed.sweep.metric?.goal, key: by });

	function chart(width) {
		const points = curve();
		const first = Math.min(...points.map(({ at }) => at));
		const place = (at) => by === 'trial' ? at : (at - first) / HOUR_MS;
		const metric = feed.sweep.metric.name;
		const wordsFor = ({ trial, value }) => words.trialWords(trial.trial, number(value), stateOf(trial));
		const label = words.plot(metric, points.length);
		const figure = pointPlot({
			points: points.map((one) => ({ id: one.trial.trial, x: place(one.at), y: one.value, words: wordsFor(one), look: one.isBest ? 'best' : 'other' })),
			steps: points.map(({ at, best }) => ({ x: place(at), y: best })),
			x: { name: by === 'trial' ? words.trialAxis : words.timeAxis }, y: { name: metric }, width, height: HEIGHT, label });
		return plotHand(figure, points.map(({ trial, value }) => ({ id: trial.trial, href: runHref(address, trial), words: wordsFor({ trial, value }) })),
			{ label: `${label}. ${words.plotHow}`, marked, onmark: (id) => {
				marked = id;
			} });
	}

	function rows() {
		return table(words.best, [[words.columns.trial, true], [words.columns.state], [words.columns.value, true], [words.best, true], [words.columns.run]],
			curve().map(({ trial, value, best }) => el('tr', {}, el('td', { class: 'num' }, trial.trial), el('td', {}, stateOf(trial)), el('td', { class: 'num' }, number(value)),
				el('td', { class: 'num' }, number(best)), el('td', {}, runLink(address, trial)))));
	}

	const figure = figureCard(words.best, {
		tools: segmented(words.by, words.bys, by, (next) => {
			by = next;
			figure.update();
		}),
		essence: () => [feed.sweep.metric, by, feed.trials.map(({ trial, value, state, ended_at: ended }) => [trial, value, state, ended])],
		chart: (width) => [bestNode(address, feed), chart(width)], table: rows, empty: () => reasonOf(feed),
	});
	return figure;
}
