/* What stands out, as lines above the panels. */

import { shown } from '../chart/unit_words.js';
import { el } from '../dom.js';
import { icon } from '../icons.js';
import { text } from '../text.js';

const words = text.system;
const NAMES = 4;

function line({ kind, unit, rows, others }, { names, where }) {
	const who = words.andMore(rows.slice(0, NAMES).map(({ row }) => names(row)).join(', '),
		Math.max(0, rows.length - NAMES));
	const [first] = rows;
	return el('p', {}, icon('warn'),
		el('span', {}, words.found[kind](who, shown(first.value, unit), shown(others, unit), where(first.since))));
}

/* names(row), where(place on the axis) */
export function findingLines(findings, how) {
	return findings.map((one) => line(one, how));
}
