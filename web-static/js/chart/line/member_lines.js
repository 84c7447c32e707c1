/*
 * The members of a panel's groups, each a line of one px below the means: runs that are asked for in the same question,
 * so on the same grid.
 */

import { el } from '../../base/dom.js';
import { text } from '../../text/chart.js';
import { text as common } from '../../text/common.js';
import { memberList } from '../data/member_list.js';
import { drawnOf } from './drawn_lines.js';
import { paintThin } from './line_along.js';
import { linesOf } from './lines.js';

export const MEMBERS_MOST = 200;
const BUCKETS = 500000; /* of all of them and the panel's keys */
const RUNS = 1000; /* that one question takes */
const words = text.groupMembers;

/* Returns how many member lines one panel has room for. */
export function roomFor({ keys, shown, buckets }) {
	return Math.max(0, Math.min(MEMBERS_MOST, RUNS - shown, Math.floor(BUCKETS / (keys * buckets))));
}

export function memberLines(panel) {
	const list = memberList(panel.page);
	let shown = []; /* that were asked for */

	const listener = (isOther) => isOther ? panel.ask() : panel.changed();

	/* Returns whether a member's group is in this panel: a key of groups may split them over panels. */
	const isHere = ({ group }) => panel.shown.some((line) => line.who === `group:${group}`);

	return {
		runs(buckets) {
			list.join(listener);
			const { known } = list.now();
			const drawn = new Set(panel.page.runs.map(({ id }) => id));
			const all = (known?.members ?? []).filter(({ id }) => !drawn.has(id));
			shown = all.slice(0, roomFor({ keys: panel.keys.length, shown: drawn.size, buckets }));
			return shown.map(({ id }) => id);
		},
		/* Returns the member lines from an answer to a question that includes them. */
		linesOf: (answer, how) => linesOf(answer, { runs: shown, groups: [] }, panel.keys, how).lines,
		drawn(right) {
			const lines = panel.formula.linesOf(panel.data.members ?? []);
			return lines.filter(isHere).map((line) => drawnOf(panel, { ...line, member: `group:${line.group}` }, right));
		},
		paint: paintThin,
		note() {
			const { known, fault } = list.now();
			if (fault) return el('p', { class: 'fault' }, common.fault.of(fault));
			const isCut = known?.isCut || shown.length < (known?.members.length ?? 0);
			const here = panel.thin.filter(({ line }, at, all) => all.findIndex((one) => one.line.who === line.who) === at);
			return known && el('p', { class: 'muted' }, words.drawn(here.length, isCut));
		},
		rest: () => list.leave(listener),
	};
}
