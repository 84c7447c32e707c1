/* Two parameters and the metric: medians in the cells of their bins. */

import { el } from '../base/dom.js';
import { number } from '../base/format.js';
import { table } from '../run/card.js';
import { query, setQuery } from '../router.js';
import { text } from '../text/sweeps.js';
import { reasonOf } from './best_card.js';
import { heatOf } from './bins.js';
import { choice } from './choice.js';
import { sharesOf } from './figures.js';
import { figureCard } from './figure_card.js';
import { heatPlot } from './heat_plot.js';
import { orderedNames, valuedTrials } from './parameters.js';
import { plotHand } from './plot_hand.js';

const words = text.sweep;
const HEIGHT = 360;

export function contourCard(feed) {
	let marked = null;
	const names = () => orderedNames(feed);
	const [across, upward] = ['x', 'y'].map((axis) => choice(words.axes[axis], (name) => {
		setQuery({ [axis]: name });
		update();
	}));
	const named = (axis, other) => names().includes(query().get(axis)) ? query().get(axis) : names()[other];
	const chosen = () => ({ x: named('x', 0), y: named('y', 1) });

	function heat() {
		const { x, y } = chosen();
		return heatOf(valuedTrials(feed).filter(({ params }) => params.has(x) && params.has(y)).map(({ value, params }) => ({ x: params.get(x), y: params.get(y), value })));
	}

	function chart(width) {
		const { x, y } = chosen();
		const now = heat();
		const { name: metric, goal } = feed.sweep.metric;
		const said = (cell) => words.cell(x, now.xs[cell.x], y, now.ys[cell.y], metric, number(cell.median), cell.values.length);
		const label = words.contourPlot(metric, x, y, now.count);
		const plot = heatPlot({ heat: now, shares: sharesOf(now.cells.map(({ median }) => median), goal), x: { name: x }, y: { name: y }, width, height: HEIGHT, label, words: said });
		return plotHand(plot, now.cells.map((cell, at) => ({ id: at, href: null, words: said(cell) })), { label: `${label}. ${words.cellsHow}`, marked, onmark: (id) => {
			marked = id;
		} });
	}

	function rows() {
		const { x, y } = chosen();
		const now = heat();
		return table(words.contour, [[x], [y], [words.median(feed.sweep.metric.name), true], [words.trials, true]], now.cells.map((cell) => el('tr', {},
			el('td', {}, el('bdi', {}, now.xs[cell.x])), el('td', {}, el('bdi', {}, now.ys[cell.y])), el('td', { class: 'num' }, number(cell.median)), el('td', { class: 'num' }, cell.values.length))));
	}

	function note() {
		const { count, left } = heat();
		return el('p', { class: 'note' }, [words.heatOf(count), words.stronger, left > 0 && words.leftOut(left)].filter(Boolean).join(' '));
	}

	function update() {
		across.update(names(), chosen().x);
		upward.update(names(), chosen().y);
		figure.update();
	}

	const figure = figureCard(words.contour, {
		tools: [across.node, upward.node], essence: () => [feed.sweep.metric, chosen(), feed.trials.map(({ trial, value }) => [trial, value])],
		chart, table: rows, note, empty: () => reasonOf(feed) ?? (names().length < 2 ? words.oneParameter : null),
	});
	update();
	return { ...figure, update };
}
