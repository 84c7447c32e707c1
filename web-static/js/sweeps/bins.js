/* Values of parameters in bins, and medians of a metric in the cells of two parameters. Pure. */

import { number } from '../base/format.js';
import { medianOf } from '../base/median.js';
import { keyOf, wordsAmong } from '../base/value_words.js';
import { spansDecades } from '../chart/data/scale.js';

const MOST = 8; /* bins of numbers */
const CATEGORIES_MOST = 20;

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const byText = (a, b) => a < b ? -1 : Number(a > b);

function byEach(values, labelOf, most) {
	const kept = values.slice(0, most);
	const at = new Map(kept.map((value, index) => [keyOf(value), index]));
	return { labels: kept.map(labelOf), of: (value) => value === undefined ? null : at.get(keyOf(value)) ?? null };
}

/* Bins of equal width; of logarithms where numbers span decades. The last one has its upper end, too. */
function byWidth(values) {
	const isLog = spansDecades(values);
	const [place, back] = isLog ? [Math.log, Math.exp] : [(value) => value, (value) => value];
	const [low, high] = [place(Math.min(...values)), place(Math.max(...values))];
	const edge = (at) => back(low + (high - low) * at / MOST);
	return {
		labels: Array.from({ length: MOST }, (_, at) => `${number(edge(at))}–${number(edge(at + 1))}`),
		of: (value) => !isNumber(value) ? null : Math.max(0, Math.min(MOST - 1, Math.floor((place(value) - low) / (high - low) * MOST))),
	};
}

/* {labels, of(value): which bin, or null}. Few different numbers, and words, have a bin each. */
export function binsOf(values) {
	const there = values.filter((value) => value !== undefined);
	const unlike = [...new Map(there.map((value) => [keyOf(value), value])).values()];
	const wordOf = wordsAmong(unlike);
	if (!unlike.every(isNumber)) return byEach(unlike.sort((a, b) => byText(wordOf(a), wordOf(b))), wordOf, CATEGORIES_MOST);
	return unlike.length > MOST ? byWidth(unlike) : byEach(unlike.sort((a, b) => a - b), number, MOST);
}

/*
 * points: [{x, y, value}]. {xs, ys: labels of bins, cells: [{x, y, values, median}] of those with a point, count: of points in them, left:
 * of points in none}
 */
export function heatOf(points) {
	const [xs, ys] = ['x', 'y'].map((axis) => binsOf(points.map((point) => point[axis])));
	const cells = new Map();
	let count = 0;
	for (const { x, y, value } of points) {
		const [column, row] = [xs.of(x), ys.of(y)];
		if (column === null || row === null || !isNumber(value)) continue;
		const name = `${column} ${row}`;
		if (!cells.has(name)) cells.set(name, { x: column, y: row, values: [] });
		cells.get(name).values.push(value);
		count++;
	}
	const found = [...cells.values()].map((cell) => ({ ...cell, median: medianOf([...cell.values]) })).sort((a, b) => b.y - a.y || a.x - b.x);
	return { xs: xs.labels, ys: ys.labels, cells: found, count, left: points.length - count };
}
