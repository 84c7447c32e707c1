/* One parameter against the metric. */

import { el } from '../base/dom.js';
import { number } from '../base/format.js';
import { table } from '../run/card.js';
import { query, setQuery } from '../router.js';
import { text } from '../text/sweeps.js';
import { reasonOf, stateOf, wordsFor } from './best_card.js';
import { choice } from './choice.js';
import { figureCard } from './figure_card.js';
import { orderedNames, valuedTrials } from './parameters.js';
import { plotHand } from './plot_hand.js';
import { pointPlot } from './point_plot.js';
import { runHref, runLink } from './run_link.js';

const words = text.sweep;
const HEIGHT = 320;

export function sliceCard(address, feed) {
	let marked = null;
	const names = () => orderedNames(feed);
	const chosen = () => names().includes(query().get('slice')) ? query().get('slice') : names()[0];
	const pick = choice(words.parameter, (name) => {
		setQuery({ slice: name });
		update();
	});
	const found = () => valuedTrials(feed).filter(({ params }) => params.has(chosen()));
	const worded = () => wordsFor(found().map(({ params }) => params.get(chosen())));

	function chart(width) {
		const name = chosen();
		const metric = feed.sweep.metric.name;
		const wordOf = worded();
		const points = found().map(({ trial, value, params }) => ({ trial, id: trial.trial, x: params.get(name), y: value, look: 'other',
			words: `${words.trialWords(trial.trial, number(value), stateOf(trial))}, ${name} ${wordOf(params.get(name))}` }));
		const label = words.slicePlot(metric, name, points.length);
		return plotHand(pointPlot({ points, x: { name }, y: { name: metric }, width, height: HEIGHT, label }),
			points.map(({ trial, id, words: said }) => ({ id, href: runHref(address, trial), words: said })), { label: `${label}. ${words.plotHow}`, marked, onmark: (id) => {
				marked = id;
			} });
	}

	function rows() {
		const wordOf = worded();
		return table(words.slice, [[words.columns.trial, true], [chosen()], [feed.sweep.metric.name, true], [words.columns.run]], found().map(({ trial, value, params }) => el('tr', {},
			el('td', { class: 'num' }, trial.trial), el('td', {}, el('bdi', {}, wordOf(params.get(chosen())))), el('td', { class: 'num' }, number(value)), el('td', {}, runLink(address, trial)))));
	}

	function update() {
		pick.update(names(), chosen());
		pick.node.hidden = !names().length;
		figure.update();
	}

	const figure = figureCard(words.slice, {
		tools: pick.node, essence: () => [feed.sweep.metric, chosen(), feed.trials.map(({ trial, value, state }) => [trial, value, state])],
		chart, table: rows, empty: () => reasonOf(feed),
	});
	update();
	return { ...figure, update };
}
