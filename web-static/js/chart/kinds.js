/*
 * The kinds of panels: what draws one, what it is made of (`keys` of history, `histograms`, `fields` of runs that are
 * numbers, `values` of runs, or nothing), how many of these it takes, what can be said of it in the bar over it
 * (panel_edit.js), and as what files it is saved. Another kind is another row.
 */

import { BarPanel } from './bar_panel.js';
import { BoxPanel } from './box_panel.js';
import { HistogramPanel } from './histogram_panel.js';
import { KEYS_MOST } from './layout.js';
import { LinePanel } from './line_panel.js';
import { NumberPanel } from './number_panel.js';
import { SAVES } from './panel_export.js';
import { ParallelPanel } from './parallel_panel.js';
import { RUN_SAVES } from './run_plot_export.js';
import { ScatterPanel } from './scatter_panel.js';
import { TextPanel } from './text_panel.js';

const LINE_EDITS = ['x', 'xLog', 'y', 'range', 'smooth', 'window', 'split', 'right', 'formula'];

export const KINDS = {
	line: { Panel: LinePanel, needs: 'keys', least: 1, most: KEYS_MOST, saves: SAVES, edits: LINE_EDITS },
	bar: { Panel: BarPanel, needs: 'fields', least: 1, most: KEYS_MOST, edits: ['y', 'range'] },
	scatter: { Panel: ScatterPanel, needs: 'values', least: 2, most: 3, saves: RUN_SAVES, edits: ['xLog', 'y', 'color'] },
	parallel: { Panel: ParallelPanel, needs: 'values', least: 2, most: 12, saves: RUN_SAVES, edits: ['y', 'color'] },
	box: { Panel: BoxPanel, needs: 'fields', least: 1, most: 1, saves: RUN_SAVES, edits: ['y', 'by'] },
	histogram: { Panel: HistogramPanel, needs: 'histograms', least: 1, most: 1, edits: [] },
	number: { Panel: NumberPanel, needs: 'keys', least: 1, most: KEYS_MOST, edits: [] },
	text: { Panel: TextPanel, needs: null, least: 0, most: 0, edits: ['text'] },
};

/* One that is not known, as of a newer page, is drawn as lines. */
export const kindOf = ({ kind }) => Object.hasOwn(KINDS, kind) ? KINDS[kind] : KINDS.line;

export function makePanel(spec, page, options) {
	const { Panel } = kindOf(spec);
	return new Panel(spec, page, options);
}
