/* What is loaded when somebody changes panels, sees one in full screen, or saves one as a file. */

export { act } from './layout_actions.js';
export { panelFull } from './panel_full.js';
