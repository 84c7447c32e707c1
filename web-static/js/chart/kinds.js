/*
 * The kinds of panels: what draws one, how many keys it takes, and what can be said of it in the bar over it (panel_edit.js).
 * Another kind is another row.
 */

import { LinePanel } from './line_panel.js';

export const KINDS = {
	line: { Panel: LinePanel, needs: 'keys', many: true, edits: ['x', 'y', 'smooth', 'range'] },
};

/* One that is not known, as of a newer page, is drawn as lines. */
export const kindOf = ({ kind }) => Object.hasOwn(KINDS, kind) ? KINDS[kind] : KINDS.line;

export function makePanel(spec, page, options) {
	const { Panel } = kindOf(spec);
	return new Panel(spec, page, options);
}
