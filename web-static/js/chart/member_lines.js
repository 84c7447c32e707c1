/*
 * The members of a panel's groups, each a line of one px below the means: runs that are asked for in the same question,
 * so on the same grid, and told nothing more of.
 */

import { ask } from '../api.js';
import { el } from '../dom.js';
import { reread } from '../reread.js';
import { text } from '../text.js';
import { formulaLines } from './formula.js';
import { paintThin } from './line_along.js';
import { linesOf } from './lines.js';
import { readMembers } from './member_runs.js';

export const MEMBERS_MOST = 200;
const BUCKETS = 500000; /* of all of them and the panel's keys */
const RUNS = 1000; /* that one question takes */
const AGAIN_MS = 10000;
const words = text.groupMembers;

/* Of one panel: how many lines there is room for. */
export function roomFor({ keys, shown, buckets }) {
	return Math.max(0, Math.min(MEMBERS_MOST, RUNS - shown, Math.floor(BUCKETS / (keys * buckets))));
}

export function memberLines(panel) {
	let known = null;
	let asked = ''; /* what groups they are of */
	let shown = []; /* that were asked for */
	let fault = null;
	let isStopped = false;
	const turns = reread(read, () => AGAIN_MS);

	const place = () => JSON.stringify([panel.page.scope?.filter, panel.page.groups]);

	async function read() {
		const of = place();
		const found = await readMembers(panel.page, ask);
		if (isStopped) return null;
		fault = found.fault;
		const isOther = !fault && JSON.stringify(found) !== JSON.stringify(known);
		if (of === place() && !fault) known = found;
		if (isOther || fault) panel.ask();
		return fault;
	}

	function learn() {
		const of = place();
		if (of === asked) return turns.soon();
		asked = of;
		known = null;
		return turns.now();
	}

	/* Where a key of groups makes panels, to each its own. */
	const isHere = ({ group }) => panel.shown.some((line) => line.who === `group:${group}`);

	return {
		runs(buckets) {
			learn();
			const drawn = new Set(panel.page.runs.map(({ id }) => id));
			const all = (known?.members ?? []).filter(({ id }) => !drawn.has(id));
			shown = all.slice(0, roomFor({ keys: panel.keys.length, shown: drawn.size, buckets }));
			return shown.map(({ id }) => id);
		},
		/* Of an answer to a question with them. */
		linesOf: (answer, how) => linesOf(answer, { runs: shown, groups: [] }, panel.keys, how).lines,
		drawn(right) {
			const { spec: { formula }, keys, data: { grid, members } } = panel;
			const lines = formula ? formulaLines(members ?? [], { keys, formula, count: grid.count }) : members ?? [];
			return lines.filter(isHere).map((line) => panel.drawnOf(line, right));
		},
		paint: paintThin,
		note() {
			if (fault) return el('p', { class: 'fault' }, text.fault.of(fault));
			const isCut = known?.isCut || shown.length < (known?.members.length ?? 0);
			const here = panel.thin.filter(({ line }, at, all) => all.findIndex((one) => one.line.who === line.who) === at);
			return known && el('p', { class: 'muted' }, words.drawn(here.length, isCut));
		},
		stop() {
			isStopped = true;
			turns.stop();
		},
	};
}
