/* The plot of a panel of lines: what uPlot needs of the panel, and what is painted below and above the lines. */

import uPlot from '../../../lib/uplot.js';
import { paintBelow, paintEvents, paintMarks } from './line_paint.js';
import { plotOptions } from './plot_options.js';

let refLines = null; /* ref_lines.js */

/* By a part that comes when there is something for it. */
async function paintRefs(u, panel) {
	const { refs } = panel;
	if (refs.length && refLines) return refLines.paintRefs(u, refs);
	if (refs.length && (refLines = await import('./ref_lines.js').catch(() => null))) panel.redraw();
}

function below(u, panel) {
	const { events, ones, bands, rawShown: raw, thin } = panel;
	paintEvents(u, events);
	panel.members.now().paint(u, thin);
	paintBelow(u, { ones, bands, raw });
	panel.order.now().paint(u, ones);
}

function above(u, panel) {
	paintMarks(u, panel);
	paintRefs(u, panel);
	panel.placed(u);
}

/* shape: as plot_options.js has it; columns: places on the axis, and lines along it. */
export function linePlot(panel, columns, shape, node) {
	const { hand, ones, yTold } = panel;
	const options = {
		yTold,
		xRange: () => panel.xRange(),
		yRange: (scale) => panel.ranges[scale],
		dots: (at) => panel.ones[at - 1].dots,
		below: (u) => below(u, panel),
		above: (u) => above(u, panel),
		moved: hand.moved,
		selected: hand.selected,
		down: hand.down,
		near: (u, at) => hand.near(at),
		reset: hand.reset,
	};
	return new uPlot(plotOptions({ ...panel.size(), shape, ones, panel: options }), columns, node);
}
