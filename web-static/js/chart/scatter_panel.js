/* Runs as points by two keys; a third one colours them, where none was chosen for that. */

import { RunPlotPanel } from './run_plot_panel.js';
import { scatterPlot } from './scatter.js';

export class ScatterPanel extends RunPlotPanel {
	get colorKey() {
		return this.spec.color ?? this.keys[2];
	}

	figure(runs, size, all) {
		const [x, y] = this.data.keys;
		const placed = (some) => some.map((run) => ({ ...run, x: run.values[0], y: run.values[1] }));
		return scatterPlot({
			points: placed(runs),
			all: placed(all),
			x: { name: x, isLog: Boolean(this.spec.xLog) },
			y: { name: y, isLog: this.look.y === 'log' },
			...size,
		});
	}
}
