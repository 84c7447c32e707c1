/*
 * Findings in the sheets at hand: cards that differ from the others where all should be alike, idle GPUs, clocks that
 * fell under load. Findings are numbers, never advice. Pure.
 */

import { medianOf } from '../base/median.js';
import { lately, middlesOf, oddRows, sinceOf } from './odd_rows.js';

const WATCHED = [/^gpu\.(gpu|memoryAllocated|powerWatts|temp|smClock)$/,
	/^tpu\.(dutyCycle|tensorcoreUtilization|hbmMemoryUsage)$/, /^trn\.neuroncore_utilization$/,
	/^ipu\..*(temp|clock|power|utili[sz]ation)/];
const LOADS = /^gpu\.gpu$|dutyCycle|utili[sz]ation/; /* the first of a section is the load of its cards */
const IDLE = 5; /* per cent */
const BUSY = 30;
const LOADED = 50;
const CLOCK = 0.85; /* of what it usually is, or of the others */
const LEAST = 4; /* cards: with fewer the median says nothing */
const KIND = 0.25; /* of the cards: where more are far from the others they are of another kind */
const TOGETHER = 0.05; /* of the columns: what began within as many began at once */

/* Returns whether a metric is watched for findings, whatever the page shows. */
export const isWatched = ({ id }) => WATCHED.some((form) => form.test(id));

const known = (values) => Float64Array.from(values).filter((value) => !Number.isNaN(value));

function nowOf({ rows, grid }) {
	return rows.map((row) => ({ row, value: lately(row, grid.count) })).filter(({ value }) => !Number.isNaN(value));
}

const middleOf = (sheet) => medianOf(known(nowOf(sheet).map(({ value }) => value)));

/* Returns the finding of a row for one metric and where it began (null: in all that is shown); [] if it is over. */
function found({ metric, grid, x }, { row, value, others }, isOdd) {
	const since = sinceOf(row, grid.count, isOdd);
	const place = grid.from + since * grid.width;
	const near = Math.max(2, TOGETHER * grid.count) * grid.width;
	return since === grid.count ? [] : [{ metric, row, value, others, near,
		since: since < 0 ? null : x === '_step' ? Math.ceil(place - 1e-9) : place }];
}

/* ---- cards that are unlike the others ---- */

function unlike(sheet) {
	const { rows, grid, metric } = sheet;
	const there = nowOf(sheet).length;
	const odd = there < LEAST ? [] : oddRows(rows, grid, metric.unit);
	if (!odd.length || odd.length > Math.max(1, KIND * there)) return [];
	const middles = middlesOf(rows, grid.count);
	return odd.flatMap(({ row, value, middle }) => {
		const half = (value - middle) / 2;
		return found(sheet, { row, value, others: middle }, (one, at) => (one - middles[at]) / half >= 1);
	});
}

/* Returns whether most cards of a section are idle: then a card that works is not a finding. */
function isResting(sheets, section) {
	const load = sheets.find(({ metric }) => metric.section === section && LOADS.test(metric.id));
	return load !== undefined && middleOf(load) < BUSY;
}

/* ---- what is reported of one card, too ---- */

/* While others work. */
function idle(sheet) {
	const isIdle = (value) => value < IDLE;
	const now = nowOf(sheet);
	const others = medianOf(known(now.map(({ value }) => value).filter((value) => value >= IDLE)));
	const resting = others >= BUSY ? now.filter(({ value }) => isIdle(value)) : [];
	return resting.flatMap(({ row, value }) => found(sheet, { row, value, others }, isIdle));
}

function throttled(sheet, load) {
	const loads = new Map((load?.rows || []).map((row) => [row.id, lately(row, row.last + 1)]));
	const others = middleOf(sheet);
	return nowOf(sheet).filter(({ row }) => loads.get(row.id) >= LOADED).flatMap(({ row, value }) => {
		const usual = Math.max(others, medianOf(known(row.cells)));
		const isSlow = (one) => one < CLOCK * usual;
		return isSlow(value) ? found(sheet, { row, value, others }, isSlow) : [];
	});
}

/* ---- as findings ---- */

const isAbout = (a, b) => a.since === null || b.since === null
	? a.since === b.since : Math.abs(a.since - b.since) <= a.near;

/* Lists of those that began at once; by(one): what else is alike in them. */
function together(all, by) {
	const found = new Map();
	for (const one of all) {
		const name = by(one);
		if (!found.has(name)) found.set(name, []);
		const list = found.get(name).find(([first]) => isAbout(first, one));
		if (list) list.push(one);
		else found.get(name).push([one]);
	}
	return [...found.values()].flat();
}

const latest = (list) => list.reduce((so, { since }) => so === null || since > so ? since : so, null);

/* Combines what began at once on one card, then cards whose findings are the same. */
function findings(kind, all) {
	const cards = together(all, ({ row, metric }) => JSON.stringify([metric.section, row.id]))
		.map((list) => ({ list, since: latest(list), near: list[0].near }));
	const sameOf = ({ list }) => JSON.stringify(list.map(({ metric, value, others }) => [metric.id, value > others]));
	return together(cards, sameOf).map((alike) => ({
		kind, section: alike[0].list[0].metric.section, since: latest(alike), rows: alike.map(({ list }) => list[0].row),
		values: alike[0].list.map(({ metric, others }, nth) => {
			const values = alike.map(({ list }) => list[nth].value);
			return { metric, others, low: Math.min(...values), high: Math.max(...values) };
		}),
	}));
}

/*
 * sheets: of metrics, in the order in which these are reported; isShown(row): is it reported. [{kind, section, since, rows, values}]; values: what the
 * rows have of each metric, {metric, low, high, others}; since: the place on the axis, null where it is so in all that
 * is shown.
 */
export function standsOut(sheets, isShown = () => true) {
	const watched = sheets.filter(({ metric }) => isWatched(metric));
	const sheetOf = (id) => watched.find(({ metric }) => metric.id === id);
	const odd = watched.filter(({ metric }) => !isResting(watched, metric.section)).flatMap(unlike);
	const reported = new Set(odd.map(({ row }) => row)); /* each is of one metric */
	const shown = (list) => list.filter(({ row }) => isShown(row));
	const isNew = ({ row }) => !reported.has(row);
	const [load, clock] = ['gpu.gpu', 'gpu.smClock'].map(sheetOf);
	return [...findings('odd', shown(odd)), ...findings('idle', load ? shown(idle(load)).filter(isNew) : []),
		...findings('throttled', clock ? shown(throttled(clock, load)).filter(isNew) : [])];
}
