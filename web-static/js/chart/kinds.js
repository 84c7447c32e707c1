/*
 * The kinds of panels: what draws one, what it is made of (`keys` of history, `histograms`, `fields` of runs, or
 * nothing), whether it takes many, what can be said of it in the bar over it (panel_edit.js), and whether it is saved
 * as a file. Another kind is another row.
 */

import { BarPanel } from './bar_panel.js';
import { HistogramPanel } from './histogram_panel.js';
import { LinePanel } from './line_panel.js';
import { NumberPanel } from './number_panel.js';
import { TextPanel } from './text_panel.js';

export const KINDS = {
	line: {
		Panel: LinePanel,
		needs: 'keys',
		many: true,
		isSaved: true,
		edits: ['x', 'xLog', 'y', 'range', 'smooth', 'window', 'split', 'right', 'formula'],
	},
	bar: { Panel: BarPanel, needs: 'fields', many: true, edits: ['y', 'range'] },
	histogram: { Panel: HistogramPanel, needs: 'histograms', many: false, edits: [] },
	number: { Panel: NumberPanel, needs: 'keys', many: true, edits: [] },
	text: { Panel: TextPanel, needs: null, many: false, edits: ['text'] },
};

/* One that is not known, as of a newer page, is drawn as lines. */
export const kindOf = ({ kind }) => Object.hasOwn(KINDS, kind) ? KINDS[kind] : KINDS.line;

export function makePanel(spec, page, options) {
	const { Panel } = kindOf(spec);
	return new Panel(spec, page, options);
}
