/* From an answer to what a panel draws: a line for each run or group, on the grid that all of them share. */

import { bridged, gridOf, lastFilled, lineOf, placeOf } from './buckets.js';
import { smooth } from './smooth.js';

/* Of several keys: one run alone has a colour a key, of several runs each key has a dash. */
function looksOf(owner, { key, at, keys, isAlone }) {
	if (keys.length < 2) return {};
	return isAlone ? { name: key, slot: at, color: null } : { name: `${owner.name} ${key}`, dash: at };
}

/* A line for each of runs and groups and each key that has something. `who` is whose it is, `id` is the line's own. */
export function linesOf(answer, { runs, groups }, keys) {
	const grid = gridOf(answer.panel);
	const pieces = new Map(answer.series.map((piece) => [JSON.stringify([piece.run ?? `group:${piece.group}`, piece.key]), piece]));
	const owners = [...groups.map((group) => ({ ...group, who: `group:${group.name}`, isGroup: true })),
		...runs.map((run) => ({ ...run, who: run.id, isGroup: false }))];

	function of(owner, key, at) {
		const id = JSON.stringify([owner.who, key]);
		const piece = pieces.get(id);
		if (!piece) return null;
		const looks = looksOf(owner, { key, at, keys, isAlone: owners.length === 1 });
		return { ...owner, ...looks, id: keys.length > 1 ? id : owner.who, key, run: owner.name, members: piece.runs, ...lineOf(grid, piece.columns) };
	}

	const lines = owners.flatMap((owner) => keys.map((key, at) => of(owner, key, at)));
	return { grid, x: answer.panel.x, lines: lines.filter((line) => line && lastFilled(line) >= 0), missing: answer.panel.missing };
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

/* The smoothed line, the raw one behind it, and the band; `alone` are the points that are no part of a line. */
export function drawn(line, { count, weight, isLog }) {
	const { mean, hidden } = withoutHidden(line, isLog);
	const { values, alone } = bridged({ ...line, mean }, count);
	return { line, raw: values, smooth: smooth(values, line.n, weight), alone, hidden };
}

/* min to max, or around the mean: std, sem. */
export function bandOf(line, kind) {
	if (kind === 'minmax' || !line.isGroup) return { low: line.min, high: line.max };
	const half = (at) => line.spread[at] === null ? 0 : line.spread[at] / (kind === 'sem' ? Math.sqrt(line.runs[at] || 1) : 1);
	const around = (sign) => line.mean.map((mean, at) => mean === null ? null : mean + sign * half(at));
	return { low: around(-1), high: around(1) };
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
