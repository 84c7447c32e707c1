/*
 * Lines that come in from rows before what is zoomed to, and go out to rows behind it. A line is reckoned with these
 * rows where they lie, and drawn to the first and the last place of the grid, which are beside what is seen. Pure.
 */

import { placeOf } from '../data/buckets.js';

const scaled = (isLog) => isLog ? [Math.log, Math.exp] : [(x) => x, (x) => x];

/* On the straight line from a to b, as it is seen. */
function between([xa, a], [xb, b], x, { isLogX, isLog }) {
	const [along] = scaled(isLogX);
	const [up, back] = scaled(isLog);
	const share = (along(x) - along(xa)) / (along(xb) - along(xa));
	return Number.isFinite(share) ? back(up(a) + (up(b) - up(a)) * share) : a;
}

/*
 * The line with the rows beside it in the first and the last place, as they have a value on the axis. `beside`: which
 * places these are, how far along columns are (stands), and how far apart is usual, in columns and of x (usual, usualX).
 */
export function withEdges(line, grid, isLog) {
	const [along] = scaled(grid.isLog);
	const last = grid.count - 1;
	const rows = new Map([[0, line.before], [last, line.after]].filter(([, row]) => row && (!isLog || row.value > 0)));
	const put = (column, name) => {
		const values = column.slice();
		while (values.length < grid.count) values.push(name === 'n' ? 0 : null);
		for (const [at, row] of rows) values[at] = name === 'n' ? 1 : row[name];
		return values;
	};
	const usuals = [...rows.values()].map(({ usual }) => usual).filter(Number.isFinite);
	const usualX = usuals.length ? Math.max(...usuals) : undefined;
	const stands = (at) => rows.has(at) ? (along(rows.get(at).x) - grid.from) / grid.width - 0.5 : at;
	const usual = usualX === undefined ? undefined : grid.isLog ? 1 : usualX / grid.width;
	return {
		...line, mean: put(line.mean, 'value'), x: put(line.x, 'x'), n: put(line.n, 'n'),
		beside: { rows, stands, usual, usualX },
	};
}

const isValue = (value) => value !== null && value !== undefined;

/* Values of such a line, drawn to where the first and the last place are. */
export function toEdges(values, { beside: { rows } }, grid, isLog) {
	const how = { isLogX: grid.isLog, isLog };
	const pointAt = (at) => [rows.get(at)?.x ?? placeOf(grid, at, grid.row === 1), values[at]];
	const drawn = values.slice();
	for (const at of rows.keys()) {
		if (!isValue(values[at])) continue;
		const isNext = (value, i) => i !== at && isValue(value);
		const next = at ? values.findLastIndex(isNext) : values.findIndex(isNext);
		drawn[at] = next < 0 ? null : between(pointAt(at), pointAt(next), placeOf(grid, at), how);
	}
	return drawn;
}

/* The value of a line where it passes an x between its points; null where it does not. how: {isLogX, isLog} */
export function passes(values, places, x, how) {
	const behind = places.findIndex((place) => place >= x);
	const next = values.findIndex((value, at) => at >= behind && value !== undefined);
	const before = values.findLastIndex((value, at) => at < behind && value !== undefined);
	if (behind < 1 || before < 0 || next < 0 || values[before] === null || values[next] === null) return null;
	return between([places[before], values[before]], [places[next], values[next]], x, how);
}
