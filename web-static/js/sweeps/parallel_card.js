/* Trials as lines across the axes of their parameters, to the metric. */

import { el } from '../base/dom.js';
import { number } from '../base/format.js';
import { parallelPlot } from '../chart/kinds/parallel.js';
import { table } from '../run/card.js';
import { text } from '../text/sweeps.js';
import { toggle } from '../ui/controls.js';
import { reasonOf, stateOf, wordsFor } from './best_card.js';
import { sharesOf } from './figures.js';
import { figureCard } from './figure_card.js';
import { orderedNames, valuedTrials } from './parameters.js';
import { plotHand } from './plot_hand.js';
import { runHref, runLink } from './run_link.js';

const words = text.sweep;
const HEIGHT = 380;
const AXES = 8; /* of parameters, at first */
const AXIS_PX = 84;

export function parallelCard(address, feed) {
	let isAll = false;
	let marked = null;
	const names = () => orderedNames(feed);
	const axes = () => isAll ? names() : names().slice(0, AXES);
	const all = toggle(words.allParameters, false, (on) => {
		isAll = on;
		figure.update();
	});

	function chart(width) {
		const trials = valuedTrials(feed);
		const metric = feed.sweep.metric;
		const shares = sharesOf(trials.map(({ value }) => value), metric.goal);
		const lines = trials.map(({ trial, value, params }, at) => ({ id: trial.trial, name: words.bestTrial(trial.trial), slot: 0, color: `tint-${shares[at]}`,
			values: [...axes().map((name) => params.get(name)), value] }));
		const plot = parallelPlot({ axes: [...axes(), metric.name].map((name) => ({ name })), lines: [...lines].sort((a, b) => shares[lines.indexOf(a)] - shares[lines.indexOf(b)]),
			width: Math.max(width, (axes().length + 1) * AXIS_PX), height: HEIGHT });
		return plotHand(plot, trials.map(({ trial, value }) => ({ id: trial.trial, href: runHref(address, trial), words: words.trialWords(trial.trial, number(value), stateOf(trial)) })),
			{ label: `${words.parallelPlot(trials.length)}. ${words.plotHow}`, marked, onmark: (id) => {
				marked = id;
			} });
	}

	function rows() {
		const trials = valuedTrials(feed);
		const worded = new Map(names().map((name) => [name, wordsFor(trials.map(({ params }) => params.get(name)))]));
		return table(words.parallel, [[words.columns.trial, true], [feed.sweep.metric.name, true], ...names().map((name) => [name]), [words.columns.run]],
			trials.map(({ trial, value, params }) => el('tr', {}, el('td', { class: 'num' }, trial.trial), el('td', { class: 'num' }, number(value)),
				names().map((name) => el('td', {}, el('bdi', { class: 'clip' }, params.has(name) ? worded.get(name)(params.get(name)) : ''))), el('td', {}, runLink(address, trial)))));
	}

	function note() {
		const left = names().length - axes().length;
		return el('p', { class: 'note' }, [words.stronger, left > 0 && words.axesCut(axes().length, names().length)].filter(Boolean).join(' '));
	}

	const figure = figureCard(words.parallel, {
		tools: all, essence: () => [feed.sweep.metric, isAll, names(), feed.trials.map(({ trial, value, state }) => [trial, value, state])],
		chart, table: rows, note, empty: () => reasonOf(feed),
	});
	return { ...figure, update() {
		all.hidden = names().length <= AXES;
		figure.update();
	} };
}
