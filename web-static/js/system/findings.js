/* Findings of stands_out.js, as lines above the panels. */

import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { shown, shownRange } from '../chart/line/unit_words.js';
import { text as common } from '../text/common.js';
import { text } from '../text/system.js';
import { icon } from '../ui/icons.js';

const words = text.system;
const NAMES = 4;
const LINES = 6;
const TELLING = ['W', '°C', 'MHz']; /* units that say what is measured */

/* Returns the name of a metric, or '' if its unit already identifies it. */
function nameOf({ metric }, values) {
	const isAlone = values.filter((one) => one.metric.unit === metric.unit).length === 1;
	return isAlone && TELLING.includes(metric.unit) ? '' : words.title(metric.id);
}

/* how: {names(row, section), where(place on the axis)}. Pure. */
export function findingText({ kind, section, since, rows, values }, { names, where }) {
	const named = rows.slice(0, NAMES).map((row) => names(row, section)).join(', ');
	const who = common.andMore(named, Math.max(0, rows.length - NAMES));
	const own = values.map((one) => words.valueOf(shownRange(one.low, one.high, one.metric.unit),
		kind === 'odd' ? nameOf(one, values) : ''));
	const others = values.map((one) => shown(one.others, one.metric.unit));
	return words.found[kind](who, words.all(own), words.all(others),
		since === null ? words.throughout : words.since(where(since)));
}

export function findingLines(findings, how) {
	const lines = findings.slice(0, LINES).map((one) =>
		el('p', {}, icon('warn'), el('span', {}, findingText(one, how))));
	const more = findings.slice(LINES).reduce((sum, { rows }) => sum + rows.length, 0);
	return more ? [...lines, el('p', {}, el('span', {}, words.moreFound(count(more))))] : lines;
}
