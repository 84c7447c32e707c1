/*
 * From where to where a panel of lines is seen: its x, and its axes at the left and the right by what is drawn within
 * that x.
 */

import { bucketAt, endsOf } from '../data/buckets.js';
import { countOutside, innerRange, outsiders, rangeOf } from './clip.js';
import { passes } from './edges.js';
import { placesOf } from './lines.js';

export function xRangeOf(panel) {
	const { grid, x } = panel.data;
	const [first, end] = endsOf(grid);
	const { zoom } = panel.look;
	const isPlace = zoom && (!grid.isLog || zoom[0] > 0);
	const refs = grid.isLog ? [] : panel.refsAt('x');
	const last = end - (x === '_step' && !grid.isLog ? 1 : 0);
	const [from, to] = isPlace ? zoom : [Math.min(first, ...refs), Math.max(last, ...refs)];
	if (to > from) return [from, to];
	return grid.isLog ? [from / 2, from * 2] : [from - 0.5, from + 0.5];
}

/* Returns the drawn values of some lines within the visible x: those of their bands where shown, else of the lines. */
export function visible({ data: { grid }, widths }, ones, [from, to]) {
	const pad = grid.pad ?? 0;
	const first = Math.max(pad, bucketAt(grid, from));
	const last = Math.min(grid.count - 1 - pad, bucketAt(grid, to));
	const values = [];
	for (const { line, smooth } of ones) {
		const band = widths.get(line.id);
		for (const column of band ? [band.low, band.high] : [smooth]) {
			for (let at = first; at <= last && at < column.length; at++) {
				if (column[at] !== null && column[at] !== undefined) values.push(column[at]);
			}
		}
	}
	return values;
}

/* Returns the values at which lines and their bands enter and leave the zoomed range. */
function edges({ data: { grid, x }, look, widths }, ones, ends) {
	if (!look.zoom) return [];
	const places = placesOf(grid, x);
	const how = { isLogX: grid.isLog, isLog: look.y === 'log' };
	const columns = ones.flatMap(({ line, raw, smooth }) => {
		const { low, high } = widths.get(line.id) ?? {};
		const through = (values) => values.map((value, at) => value ?? (raw[at] === undefined ? undefined : null));
		return [smooth, ...[low, high].filter(Boolean).map(through)];
	});
	const at = (end) => columns.map((values) => passes(values, places, end, how));
	return ends.flatMap(at).filter(Number.isFinite);
}

/* With which other panels it has a range in common: those of its section that are looked at as it is. */
export function sharedNameOf({ look: { y, range }, spec: { sharedY }, yZoom }) {
	const isFree = !yZoom && range.every((end) => end === null);
	return sharedY !== undefined && isFree ? JSON.stringify([sharedY, y]) : null;
}

/* hasValues: one that has none goes by the others. */
function sharedRange({ page, sharedName, spec }, own, hasValues) {
	if (sharedName) return page.shared.of(sharedName, spec.id, hasValues ? own : null) ?? own;
	page.shared?.leave(spec.id);
	return own;
}

/* Returns the owners of lines that would flatten all others, of this panel and of those over the same axes: {who: name}. */
function outsideOf(panel, ones, ends, isLog) {
	const values = new Map();
	for (const one of ones) {
		const { who, name, run = name } = one.line;
		if (!values.has(who)) values.set(who, { name: one.line.isGroup ? name : run, values: [] });
		values.get(who).values.push(...visible(panel, [one], ends));
	}
	const owners = [...values].map(([who, { values: of }]) => ({ who, ...innerRange(of, isLog) })).filter(({ low }) => low !== undefined);
	return new Map([...outsiders(owners, { isLog })].map((who) => [who, values.get(who).name]));
}

/* Computes the range of the left axis 'y' or the right 'y2'. Reference lines, zoom and sharing affect the left only. */
function axisRange(panel, scale) {
	const { look, ones, beside, thin } = panel;
	const isLog = look.y === 'log';
	const isLeft = scale === 'y';
	const ends = panel.xRange();
	const ofAxis = (list) => list.filter((one) => one.scale === scale);
	const isFree = !isLeft || (!panel.yZoom && look.range.every((end) => end === null));
	const out = look.clip && isFree && look.y !== 'sym' ? outsideOf(panel, ofAxis([...ones, ...beside]), ends, isLog) : new Map();
	const within = (list) => ofAxis(list).filter(({ line }) => !out.has(line.who));
	const [own, near] = [within(ones), within([...beside, ...thin])];
	const shown = visible(panel, own, ends);
	const values = [...shown, ...visible(panel, near, ends), ...edges(panel, [...own, ...near], ends)];
	const include = isLeft ? panel.refsAt('y') : [];
	const alone = rangeOf(values, { clip: look.clip, isLog, include, fixed: isLeft ? panel.yZoom || look.range : undefined });
	const hasValues = [...values, ...include].some((value) => !isLog || value > 0);
	const range = isLeft ? sharedRange(panel, alone, hasValues) : alone;
	const owners = [...out].filter(([who]) => ones.some(({ line }) => line.who === who)).map(([, name]) => name);
	return { range, owners, isBare: !values.length, ...countOutside(isLog ? shown.filter((value) => value > 0) : shown, range) };
}

/*
 * {ranges, by the axis; outside: {above, below: number of values there, owners: names of runs or groups that are left out
 * of the range}; isBare: nothing is seen}.
 */
export function measured(panel) {
	const [y, y2] = ['y', 'y2'].map((scale) => axisRange(panel, scale));
	return {
		ranges: { y: y.range, y2: y2.range },
		outside: { above: y.above + y2.above, below: y.below + y2.below, owners: [...y.owners, ...y2.owners] },
		isBare: y.isBare && y2.isBare,
	};
}
