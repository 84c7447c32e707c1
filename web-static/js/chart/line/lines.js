/* From an answer to what a panel draws: a line for each run or group, on the grid that all of them share. */

import { bridged, gridOf, known, lastFilled, lineOf, placeOf } from '../data/buckets.js';
import { toEdges, withEdges } from './edges.js';
import { labelMean } from './label_mean.js';
import { movingMean, smooth } from './smooth.js';

const DOT = 6; /* buckets, which are about as many px: so far apart rows are dots that do not touch */

/*
 * Returns how lines of several keys differ: a single run has a colour per key, several runs have a dash per key. `rest`
 * distinguishes a line from others of its run.
 */
function styleOfRun(owner, { key, at, keys, isAlone }) {
	if (keys.length < 2) return {};
	return { rest: key, ...(isAlone ? { name: key, slot: at, color: null } : { name: `${owner.name} ${key}`, dash: at }) };
}

/* A writer's line: of a run that is alone it has a colour of its own, and no need of the run's name. */
function labelLooks(owner, { label, writer, run, key }, { looks, nth, isAlone }) {
	if (label === undefined) return {};
	const before = looks.name || (isAlone ? '' : owner.name);
	return {
		id: JSON.stringify([run, key, writer]), name: `${before} ${label}`.trim(),
		rest: looks.rest ? `${looks.rest} ${label}` : label, ...(isAlone && { slot: owner.labelSlot?.(label) ?? nth, color: null }),
	};
}

/*
 * The middle of a group, where it was asked for: the line is the median, within the band that
 * most runs are in; `means` is beside it.
 */
function middleOf(grid, columns) {
	if (!columns.p50) return lineOf(grid, columns);
	const [low, high, means] = ['p10', 'p90', 'mean'].map((name) => {
		const at = new Array(grid.count).fill(null);
		columns.at.forEach((place, i) => { at[place + (grid.pad ?? 0)] = known(columns[name][i]); });
		return at;
	});
	return { ...lineOf(grid, { ...columns, mean: columns.p50 }), middle: { low, high }, means };
}

/* Returns the rows next to the visible range as a mean of several labels, from the nearest rows only. */
function besideAll(pieces) {
	const next = (side, nearest) => {
		const rows = pieces.map((piece) => piece[side]).filter(Boolean);
		const x = nearest(...rows.map((row) => row.x));
		const there = rows.filter((row) => row.x === x);
		return there.length ? { ...there[0], value: there.reduce((sum, { value }) => sum + value / there.length, 0) } : null;
	};
	return { before: next('before', Math.max), after: next('after', Math.min) };
}

/*
 * A line for each of runs and groups and each key that has something, or goes through what is seen. `who` is whose it
 * is, `id` is the line's own. ends: as gridOf has them; then pieces have `before` and `after`, of zoom_sides.js.
 */
export function linesOf(answer, { runs, groups }, keys, { isLog = false, isMean = false, ends = null } = {}) {
	const grid = gridOf(answer.panel, isLog, ends);
	const pieces = new Map();
	for (const piece of answer.series) {
		const id = JSON.stringify([piece.run ?? `group:${piece.group}`, piece.key]);
		pieces.set(id, [...pieces.get(id) || [], piece]);
	}
	const owners = [...groups.map((group) => ({ ...group, who: `group:${group.name}`, isGroup: true })),
		...runs.map((run) => ({ ...run, who: run.id, isGroup: false }))];

	/* Returns the lines of one key of an owner: several if the key is split by labels. */
	function of(owner, key, at) {
		const id = JSON.stringify([owner.who, key]);
		const looks = styleOfRun(owner, { key, at, keys, isAlone: owners.length === 1 });
		const own = { ...owner, ...looks, id: keys.length > 1 ? id : owner.who, key, run: owner.name };
		const there = pieces.get(id) || [];
		if (isMean && !owner.isGroup && there.length) {
			const mean = labelMean(there.map((piece) => lineOf(grid, piece.columns)), grid.count);
			return [{ ...own, ...mean, ...besideAll(there) }];
		}
		return there.map((piece, nth) => ({
			...own, ...labelLooks(owner, piece, { looks, nth, isAlone: owners.length === 1 }),
			members: piece.runs, ...middleOf(grid, piece.columns), before: piece.before, after: piece.after,
		}));
	}

	const lines = owners.flatMap((owner) => keys.flatMap((key, at) => of(owner, key, at)));
	const isSeen = (line) => lastFilled(line) >= 0 || (line.before && line.after);
	return { grid, x: answer.panel.x, lines: lines.filter(isSeen), missing: answer.panel.missing };
}

function withoutHidden(line, isLog) {
	if (!isLog) return { mean: line.mean, hidden: 0 };
	let hidden = 0;
	const mean = line.mean.map((value) => {
		if (value === null || value > 0) return value;
		hidden++;
		return null;
	});
	return { mean, hidden };
}

const rowsIn = ({ n, runs }, at) => n[at] / (runs[at] || 1);

/* Returns the places of separate points if the rows of a zoomed line are far apart. */
function rowsApart(line, count) {
	const filled = [...line.mean.keys()].filter((at) => line.mean[at] !== null);
	return filled.length * DOT <= count && filled.every((at) => rowsIn(line, at) <= 1) ? filled : [];
}

/*
 * The smoothed line, the raw one behind it, and the band; `dots` are the points that are no part of a line, and rows
 * that lie apart where one has zoomed in. isLog: of y; grid: the line's, where it has `ends` or is a logarithm.
 */
export function drawn(line, { count, weight, window = 0, isLog, grid = {}, isZoomed = false, scale = 'y' }) {
	const { mean, hidden } = withoutHidden(line, isLog);
	const own = { ...line, mean };
	const whole = grid.ends ? withEdges(own, grid, isLog) : own;
	const { values, alone } = bridged(whole, count, grid.isLog);
	const isRow = (at) => !whole.beside?.rows.has(at);
	for (const at of alone) if (!isRow(at)) values[at] = null;
	const soft = window > 1 ? movingMean(values, whole.n, window) : smooth(values, whole.n, weight);
	const [raw, smoothed] = [values, soft].map((one) => grid.ends ? toEdges(one, whole, grid, isLog) : one);
	const apart = isZoomed ? rowsApart(own, count) : [];
	return { line, scale, raw, smooth: smoothed, dots: apart.length ? apart : alone.filter(isRow), hidden };
}

/* min to max, or around the mean: std, sem; or in the middle. */
export function bandOf(line, kind) {
	if (kind === 'middle' && line.middle) return line.middle;
	if (['minmax', 'middle'].includes(kind) || !line.isGroup) return { low: line.min, high: line.max };
	const half = (at) => line.spread[at] === null
		? 0 : line.spread[at] / (kind === 'sem' ? Math.sqrt(line.runs[at] || 1) : 1);
	const around = (sign) => line.mean.map((mean, at) => mean === null ? null : mean + sign * half(at));
	return { low: around(-1), high: around(1) };
}

/*
 * The same of what drawn() gave: of a group it goes on to the rows beside what is seen, as far as its line does, by the
 * bands that these have.
 */
export function drawnBand({ line, raw }, kind, { grid, isLog }) {
	const band = bandOf(line, kind);
	const sides = grid.ends && line.isGroup ? [[0, line.before], [grid.count - 1, line.after]] : [];
	const rows = new Map(sides.filter(([at, row]) => row?.columns && Number.isFinite(raw[at])));
	if (!rows.size) return band;
	const ofRows = new Map([...rows].map(([at, row]) =>
		[at, bandOf({ isGroup: true, ...middleOf({ count: 1 }, row.columns) }, kind)]));
	const whole = (name) => {
		const values = Array.from({ length: grid.count }, (_, at) => ofRows.has(at) ? ofRows.get(at)[name][0] : band[name][at]);
		const drawn = toEdges(values, { beside: { rows } }, grid, isLog);
		return drawn.map((value, at) => Number.isNaN(value) ? values[at] : value); /* what has no logarithm */
	};
	return { low: whole('low'), high: whole('high') };
}

/* Places from which on the mean of a group is of more or of fewer runs than before. */
export function countChanges({ runs }) {
	const filled = runs.map((count, at) => ({ count, at })).filter(({ count }) => count);
	return filled.filter(({ count }, nth) => nth && count !== filled[nth - 1].count).map(({ at }) => at);
}

export function placesOf(grid, x) {
	return Array.from({ length: grid.count }, (_, at) => placeOf(grid, at, x === '_step'));
}

const sum = (list) => list.reduce((a, b) => a + b, 0);

/* How many NaN and Inf, and where the first is. */
export function oddities(lines, grid, isWhole) {
	const count = (name) => sum(lines.map((line) => sum(line[name])));
	const found = { nan: count('nan'), inf: count('pinf') + count('ninf'), first: null };
	for (const line of lines) {
		const at = line.n.findIndex((_, i) => line.nan[i] || line.pinf[i] || line.ninf[i]);
		if (at < 0) continue;
		const x = line.x[at] ?? placeOf(grid, at, isWhole);
		if (!found.first || x < found.first.x) found.first = { x, name: line.name };
	}
	return found;
}

export function lastOf(values) {
	for (let at = values.length - 1; at >= 0; at--) if (values[at] !== null && values[at] !== undefined) return values[at];
	return null;
}
