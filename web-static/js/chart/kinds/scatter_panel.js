/*
 * Runs as points by two keys; a third one colours them, where none was chosen for that, one more says how large they
 * are, and the front is of those that no other one beats.
 */

import { text } from '../../text/panels.js';
import { text as plotsText } from '../../text/plots.js';
import { keyDirections } from '../data/key_directions.js';
import { chosenFor } from './pareto.js';
import { RunPlotPanel } from './run_plot_panel.js';
import { frontIn, scatterPlot } from './scatter.js';

const words = text.panels;
const NAMED = 5; /* of the front */

export class ScatterPanel extends RunPlotPanel {
	constructor(...given) {
		super(...given);
		this.front = null;
		this.stops.push(() => this.unfollow?.());
	}

	get fields() {
		const { size } = this.spec;
		return size && !this.keys.includes(size) ? [...this.keys, size] : this.keys;
	}

	get colorKey() {
		return this.spec.color ?? this.keys[2];
	}

	/* If no direction was chosen, the definition of the key decides which is better. */
	betterOf(key) {
		const chosen = chosenFor(this.spec, key);
		if (chosen || !this.spec.pareto) return chosen;
		this.page.directions ||= keyDirections(this.page);
		this.unfollow ||= this.page.directions.follow(() => this.changed());
		return this.page.directions.of(key);
	}

	get axes() {
		const [x, y] = this.data.keys;
		const axisOf = (name, isLog) => ({ name, isLog, better: this.betterOf(name) });
		return { x: axisOf(x, Boolean(this.spec.xLog)), y: axisOf(y, this.look.y === 'log') };
	}

	points(runs) {
		const at = this.spec.size ? this.data.keys.indexOf(this.spec.size) : -1;
		return runs.map((run) => ({ ...run, x: run.values[0], y: run.values[1], size: run.values[at] }));
	}

	/* Finds the front among the points that are drawn, so that the head describes what is visible. */
	showHead() {
		const hasFront = this.spec.pareto && this.data?.axes > 1;
		this.front = hasFront ? frontIn(this.points(this.data.runs), this.axes) : null;
		this.onFront = new Set(this.front?.ids);
		super.showHead();
	}

	get signs() {
		if (!this.front) return [];
		return [{ name: 'front', head: words.front, word: plotsText.plots.onFront, isOf: ({ id }) => this.onFront.has(id) }];
	}

	figure(runs, size, all) {
		return scatterPlot({
			points: this.points(runs),
			all: this.points(all),
			...this.axes,
			size: this.data.keys.includes(this.spec.size) ? { name: this.spec.size } : undefined,
			front: this.front,
			...size,
		});
	}

	summary() {
		const ids = this.front?.ids ?? [];
		if (!ids.length) return super.summary();
		const names = new Map(this.data.runs.map(({ id, name }) => [id, name]));
		const named = ids.slice(0, NAMED).map((id) => names.get(id));
		return `${super.summary()} ${words.frontOf(named, ids.length - named.length)}`;
	}
}
