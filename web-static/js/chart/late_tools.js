/* What is loaded when somebody changes panels, or saves one as a file. */

export { askLegend } from './legend_dialog.js';
export { askPanels } from './panel_add.js';
export { panelEdit } from './panel_edit.js';
export { saveAs as saveLines } from './panel_export.js';
export { saveAs as saveRuns } from './run_plot_export.js';
export { moveByKeys } from './panel_moving.js';
export { askSectionName } from './section_name.js';
