/* What panels of lines need when somebody points at them, reads them as a table, or makes sums of their keys. */

export { formulaLines, formulaOf } from './formula.js';
export { fillTip } from './line_tip.js';
export { panelTable } from './panel_table.js';
