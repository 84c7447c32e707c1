/* What few panels of lines need is loaded when one does: each part has something that stands for it until then. */

/* load(panel): a promise of the part, which has stop(). Gives now(), which is always there, and stop(). */
function latePart(panel, { isWanted, load, none }) {
	let part = null;
	let isComing = false;
	let isStopped = false;

	async function come() {
		isComing = true;
		const made = await load(panel).catch(() => null);
		isComing = false;
		if (!made || isStopped) return;
		part = made;
		panel.ask();
	}

	return {
		now() {
			if (!isWanted(panel)) return none;
			if (!part && !isComing) come();
			return part ?? none;
		},
		stop() {
			isStopped = true;
			part?.stop();
		},
	};
}

/* Members of groups as thin lines, where somebody wants them. */
export const lateMembers = (panel) => latePart(panel, {
	isWanted: ({ spec, page }) => spec.members && page.groups.length > 0 && !spec.split,
	load: async () => (await import('./member_lines.js')).memberLines(panel),
	none: { runs: () => [], linesOf: () => null, drawn: () => [], paint() {}, note: () => null },
});

/* Rows along a metric, which may go back. */
export const lateOrder = (panel) => latePart(panel, {
	isWanted: ({ data, spec, page }) => data && data.x[0] !== '_' && page.runs.length > 0 && !spec.split,
	load: async () => (await import('./row_order.js')).rowOrder(panel),
	none: { answered() {}, put() {}, paint() {}, mark: () => null, xAt: () => null, stepAt: () => null },
});

/* Sums of keys, of which there are no lines before `parts` have come (late_lines.js). */
export function lateFormula(panel, parts) {
	const come = () => panel.changed();
	const part = () => panel.spec.formula ? parts.part() : null;
	return {
		ask: () => panel.spec.formula && parts.there(come),
		fault: () => part()?.formulaOf(panel.spec.formula, panel.keys.length).fault,
		linesOf(lines) {
			const { data: { grid: { count } }, spec: { formula }, keys } = panel;
			return formula ? part()?.formulaLines(lines, { keys, formula, count }) || [] : lines;
		},
	};
}
