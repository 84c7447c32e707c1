/* Loads parts that few line panels need when a panel needs one. Each part has a placeholder until then. */

import { el } from '../../base/dom.js';
import { AGAIN_MS } from '../../base/reread.js';
import { text } from '../../text/common.js';

const nothing = () => null;

/* Stands for a part that is not there. */
const NONE = {
	runs: () => [],
	drawn: () => [],
	linesOf: nothing,
	paint: nothing,
	answered: nothing,
	put: nothing,
	inRows: (line) => line,
	nearest: (plot, ones, place) => place,
	mark: nothing,
	note: nothing,
};
const LOST = { ...NONE, note: () => el('p', { class: 'fault' }, text.later.lost) };

/*
 * load(panel): a promise of the part, which has rest() for while it is not seen or not wanted. Gives now(), which is
 * always there, and rest(). A part that cannot be loaded is reported, and tried again when it is drawn later.
 */
function lazyPart(panel, isWanted, load) {
	let part = null;
	let againAt = 0; /* where it could not be loaded */
	let isComing = false;

	async function come() {
		isComing = true;
		const made = await load(panel).catch(nothing);
		isComing = false;
		part = made;
		againAt = made ? 0 : performance.now() + AGAIN_MS;
		if (made) panel.ask();
		else panel.changed();
	}

	return {
		now() {
			if (!isWanted(panel)) return part?.rest(), NONE;
			if (!part && !isComing && performance.now() > againAt) come();
			return part ?? (againAt ? LOST : NONE);
		},
		rest: () => part?.rest(),
	};
}

/* Members of groups as thin lines, if they are switched on. */
export const lazyMembers = (panel) => lazyPart(panel,
	(one) => one.spec.members && one.page.groups.length > 0 && !one.look.split,
	async () => (await import('./member_lines.js')).memberLines(panel));

/* Rows along a metric, which may go back. */
export const lazyOrder = (panel) => lazyPart(panel,
	(one) => one.data && one.data.x[0] !== '_' && one.page.runs.length > 0 && !one.look.split,
	async () => (await import('./row_order.js')).rowOrder(panel));

/* Sums of keys, of which there are no lines before their part has come (formula.js). */
export function lazyFormula(panel, formulas) {
	const come = () => panel.changed();
	const part = () => panel.spec.formula ? formulas.part() : null;
	return {
		ask: () => panel.spec.formula && formulas.there(come),
		fault: () => part()?.formulaOf(panel.spec.formula, panel.keys.length).fault,
		linesOf(lines, count = panel.data.grid.count) {
			const { spec: { formula }, keys } = panel;
			return formula ? part()?.formulaLines(lines, { keys, formula, count }) || [] : lines;
		},
	};
}
