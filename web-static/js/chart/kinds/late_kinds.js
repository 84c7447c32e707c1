/* The kinds of panels that are loaded when the first is seen. */

export { BarPanel } from './bar_panel.js';
export { BoxPanel } from './box_panel.js';
export { CorrelationPanel } from './correlation_panel.js';
export { HistogramPanel } from './histogram_panel.js';
export { NumberPanel } from './number_panel.js';
export { ParallelPanel } from './parallel_panel.js';
export { RankPanel } from './rank_panel.js';
export { ScatterPanel } from './scatter_panel.js';
export { TextPanel } from './text_panel.js';
