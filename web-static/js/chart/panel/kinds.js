/*
 * The kinds of panels: what draws one (`load` imports it when the first is seen), what it is
 * made of (`keys` of history, `histograms`, `tables`, `media`, `fields` of runs that are numbers, `values` of runs, or nothing), how
 * many of these it takes, whether it takes a whole row (isWide), what can be said of it in the bar over it (panel_edit.js), and as what files it is saved, by
 * whom (`more` stand in a menu). Another kind is another row.
 */

import { LinePanel } from '../line/line_panel.js';
import { ComingPanel } from './coming_panel.js';
import { KEYS_MOST } from './layout.js';

const LINE_EDITS = ['x', 'xLog', 'y', 'range', 'smooth', 'window', 'split', 'right', 'formula', 'refs', 'legend'];
const FILES = ['png', 'svg', 'csv', 'ndjson'];
const LINE_FILES = { names: FILES, more: ['light', 'csvRows', 'ndjsonRows'], by: 'lines' };
const ROW_FILES = { names: ['csv', 'ndjson'], more: [], by: 'runs' };
const RUN_FILES = { names: FILES, more: ['light'], by: 'runs' };

export const KINDS = {
	line: { Panel: LinePanel, needs: 'keys', least: 1, most: KEYS_MOST, saves: LINE_FILES, edits: LINE_EDITS },
	bar: { load: async () => (await import('../kinds/bar_panel.js')).BarPanel,
		needs: 'fields', least: 1, most: KEYS_MOST, edits: ['y', 'range'] },
	scatter: { load: async () => (await import('../kinds/scatter_panel.js')).ScatterPanel,
		needs: 'values', least: 2, most: 3, saves: RUN_FILES, edits: ['xLog', 'y', 'color', 'size', 'pareto'] },
	parallel: { load: async () => (await import('../kinds/parallel_panel.js')).ParallelPanel,
		needs: 'values', least: 2, most: 12, isWide: true, saves: RUN_FILES, edits: ['y', 'color'] },
	box: { load: async () => (await import('../kinds/box_panel.js')).BoxPanel,
		needs: 'fields', least: 1, most: 1, saves: RUN_FILES, edits: ['y', 'by'] },
	correlation: { load: async () => (await import('../kinds/correlation_panel.js')).CorrelationPanel,
		needs: 'values', least: 1, most: KEYS_MOST, isWide: true, saves: ROW_FILES, edits: ['metrics'] },
	ranks: { load: async () => (await import('../kinds/rank_panel.js')).RankPanel,
		needs: 'keys', least: 1, most: 1, edits: ['x'] },
	histogram: { load: async () => (await import('../kinds/histogram_panel.js')).HistogramPanel,
		needs: 'histograms', least: 1, most: 1, edits: [] },
	table: { load: async () => (await import('../kinds/table_panel.js')).TablePanel,
		needs: 'tables', least: 1, most: 1, isWide: true, edits: [] },
	media: { load: async () => (await import('../kinds/media_panel.js')).MediaPanel,
		needs: 'media', least: 1, most: 1, edits: [] },
	number: { load: async () => (await import('../kinds/number_panel.js')).NumberPanel,
		needs: 'keys', least: 1, most: KEYS_MOST, edits: [] },
	text: { load: async () => (await import('../kinds/text_panel.js')).TextPanel,
		needs: null, least: 0, most: 0, edits: ['text'] },
};

/* Returns the kind of a panel. An unknown kind, such as one of a newer page, is drawn as lines. */
export const kindOf = ({ kind }) => Object.hasOwn(KINDS, kind) ? KINDS[kind] : KINDS.line;

async function loadKind(kind) {
	kind.Panel = await kind.load();
}

export const isMadeFor = (panel, spec) => panel.constructor === (kindOf(spec).Panel || ComingPanel);

export function makePanel(spec, page, options) {
	const kind = kindOf(spec);
	if (kind.Panel) return new kind.Panel(spec, page, options);
	return new ComingPanel(spec, page, { ...options, load: () => loadKind(kind) });
}
