/* Lines come into what is zoomed to from rows before it and go out to rows behind it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { passes } from '../../../web-static/js/chart/line/edges.js';
import { lineAsking } from '../../../web-static/js/chart/line/line_asking.js';
import { drawn, drawnBand, linesOf, placesOf } from '../../../web-static/js/chart/line/lines.js';
import { endsAsked, sideQuestions, silentSides, withSides } from '../../../web-static/js/chart/line/zoom_sides.js';
import { makeShapes, makeWindow } from './browser.mjs';

makeWindow();
const { summary, valuesNote } = await import('../../../web-static/js/chart/panel/panel_words.js');

const PAGE = { runs: [{ id: 'r', name: 'R', slot: 0 }], groups: [] };

/* As the server would answer: rows [step, value] within from and to in so many buckets; its grid is of what is there. */
function answerTo({ from = -Infinity, to = Infinity, buckets }, rows, more = {}) {
	const here = rows.filter(([x]) => x >= from && x <= to);
	const columns = { at: [], x_first: [], x_last: [], first: [], last: [], mean: [], min: [], max: [], n: [], nan: [], pinf: [], ninf: [] };
	const [first, last] = [here[0]?.[0] ?? null, here.at(-1)?.[0] ?? null];
	const width = (last - first + 1) / buckets;
	for (const [x, value] of here) {
		const at = Math.floor((x - first) / width + 1e-9);
		const end = columns.at.length - 1;
		if (columns.at[end] === at) { /* as all of them are alike here, where there are several */
			columns.x_last[end] = x;
			columns.n[end]++;
			continue;
		}
		for (const [name, one] of Object.entries({ at, x_first: x, x_last: x, n: 1, nan: 0, pinf: 0, ninf: 0 })) columns[name].push(one);
		for (const name of ['first', 'last', 'mean', 'min', 'max']) columns[name].push(value);
	}
	return { panel: { x: '_step', from: first, to: last, buckets, missing: [] }, faults: [],
		series: here.length ? [{ run: 'r', key: 'a', columns, ...more }] : [] };
}

/* What is drawn of these rows of one run where a zoom is seen: [x, value] of all places that have one. */
function zoomed(rows, zoom, { isLog = false, isLogX = false, weight = 0 } = {}) {
	const what = { runs: ['r'], groups: [], panel: { keys: ['a'], x: '_step', buckets: 320, from: zoom[0] - 1, to: zoom[1], ...(isLogX && { scale: 'log' }) } };
	const questions = sideQuestions(what, 320);
	const sides = Object.fromEntries(Object.entries(questions).filter(([, one]) => one).map(([side, { panel }]) => [side, answerTo(panel, rows)]));
	const answer = withSides(answerTo(what.panel, rows), sides);
	const { grid, lines: [line] } = linesOf(answer, PAGE, ['a'], { ends: endsAsked(what.panel, zoom), isLog: isLogX });
	if (!line) return null;
	const one = drawn(line, { count: grid.count, weight, isLog, grid, isZoomed: true });
	const places = placesOf(grid, '_step');
	assert.ok(places.every((x, at) => !at || x >= places[at - 1]), 'uPlot wants them in order');
	const ink = places.flatMap((x, at) => Number.isFinite(one.smooth[at]) ? [[Number(x.toPrecision(9)), Number(one.smooth[at].toPrecision(6))]] : one.smooth[at] === null && at ? ['gap'] : []);
	return { ink: ink.filter((point, at) => point !== 'gap' || ink[at - 1] !== 'gap'), dots: one.dots.map((at) => places[at]), line, one };
}

const EVALS = Array.from({ length: 10 }, (_, at) => [20 * (at + 1), 20 * (at + 1)]);

test('a line goes on to the rows beside what is seen', () => {
	const { ink, dots } = zoomed(EVALS, [105, 195]);
	assert.deepEqual(ink, [[104, 104], [120, 120], [140, 140], [160, 160], [180, 180], [196, 196]]);
	assert.deepEqual(dots, [120, 140, 160, 180], 'and each row is a point');
});

test('a line goes through what is seen without a row there, and says nothing more of it', () => {
	const { ink, dots, line } = zoomed(EVALS, [163, 177]);
	assert.deepEqual([ink, dots], [[[162, 162], [178, 178]], []]);
	assert.ok(line.mean.every((value) => value === null) && line.x.every((x) => x === null), 'no value of its own');
	const told = summary({ data: {}, shown: [line], spec: {}, order: { now: () => ({ inRows: (one) => one }) } });
	assert.equal(told, '1 line goes through the zoomed range without a value in it.');
});

test('where nothing is seen of any line it says so', () => {
	makeShapes();
	const noteOf = (more) => valuesNote({
		data: { x: '_step', lines: [] }, page: { runs: [{ id: 'a' }], groups: [] }, formula: { fault: () => undefined }, look: { zoom: null }, ...more,
	})?.said();
	assert.equal(noteOf({}), 'No values in the runs shown.');
	assert.equal(noteOf({ page: { runs: [], groups: [] } }), 'No runs are shown.');
	assert.equal(noteOf({ page: { runs: [], groups: [{}] } }), 'No values in the runs shown.');
	assert.equal(noteOf({ look: { zoom: [1, 2] } }), 'No values in the zoomed range.');
	const data = { x: '_step', lines: [{ who: 'r' }] };
	assert.equal(noteOf({ data, look: { zoom: [1, 2] }, isBare: true }), 'No values in the zoomed range.');
	assert.equal(noteOf({ data, look: { zoom: [1, 2] }, isBare: false }), undefined);
});

test('what is silence when seen from afar is silence when seen closely', () => {
	const every = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => [from + at, 1]);
	const rows = [...every(1, 100), ...every(900, 1000)];
	assert.deepEqual(zoomed(rows, [300, 600]).ink.filter((point) => point !== 'gap'), []);
	assert.deepEqual(zoomed(rows, [890, 899]).ink.filter((point) => point !== 'gap'), []);
	assert.equal(zoomed(rows, [950, 960]).ink.includes('gap'), false);
	assert.deepEqual(zoomed(rows, [1200, 1300]), null, 'it is over');
});

/* The band of a group whose rows lie from a half to twice their value: [x, low, high] of all places that have one. */
function banded(rows, zoom, { kind = 'minmax', isLog = false } = {}) {
	const what = { runs: [], groups: [{ name: 'g' }], panel: { keys: ['a'], x: '_step', buckets: 320, from: zoom[0] - 1, to: zoom[1] } };
	const ofGroup = (panel) => {
		const answer = answerTo(panel, rows, { run: undefined, group: 'g' });
		for (const { columns } of answer.series) {
			const { mean } = columns;
			delete columns.first;
			delete columns.last;
			Object.assign(columns, { min: mean.map((value) => value / 2), max: mean.map((value) => value * 2), runs: mean.map(() => 4), std: mean.map((value) => value / 10) });
		}
		return answer;
	};
	const sides = Object.fromEntries(Object.entries(sideQuestions(what, 320)).filter(([, one]) => one).map(([side, { panel }]) => [side, ofGroup(panel)]));
	const { grid, lines: [line] } = linesOf(withSides(ofGroup(what.panel), sides), { runs: [], groups: [{ name: 'g' }] }, ['a'], { ends: endsAsked(what.panel, zoom) });
	const one = drawn(line, { count: grid.count, weight: 0, isLog, grid, isZoomed: true });
	const { low, high } = drawnBand(one, kind, { grid, isLog });
	return placesOf(grid, '_step').flatMap((x, at) => Number.isFinite(low[at]) ? [[x, Number(low[at].toPrecision(6)), Number(high[at].toPrecision(6))]] : []);
}

test('the band of a group goes on to the rows beside what is seen, as its line does', () => {
	assert.deepEqual(banded(EVALS, [105, 135]), [[104, 52, 208], [120, 60, 240], [136, 68, 272]]);
	assert.deepEqual(banded(EVALS, [105, 135], { kind: 'std' }), [[104, 93.6, 114.4], [120, 108, 132], [136, 122.4, 149.6]]);
	assert.deepEqual(banded(EVALS, [163, 177]), [[162, 81, 324], [178, 89, 356]], 'through what is seen, without a row there');
	const every = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => [from + at, 4]);
	assert.deepEqual(banded([...every(1, 100), ...every(900, 1000)], [890, 950])[0], [900, 2, 8], 'and not over silence');
	const negative = banded([[100, -10], [120, 10], [140, 10]], [105, 135], { isLog: true });
	assert.deepEqual(negative.map(([x]) => x), [120, 136], 'where its line cannot be its band is not');
});

test('beside what is seen a line is as straight as its axes are, and as smooth', () => {
	const powers = [[1, 10], [100, 1000], [10000, 100000]];
	assert.deepEqual(zoomed(powers, [11, 1000], { isLog: true, isLogX: true }).ink.filter((point) => point !== 'gap'), [[10, 100], [100, 1000], [1000, 10000]]);
	const { ink } = zoomed([[100, 0], [200, 8], [300, 8]], [150, 250], { weight: 0.5 });
	assert.deepEqual(ink.map(([x]) => x), [149, 200, 251]);
	const seen = 16 / 3; /* (8 * 0.5 + 0 * 0.25) / 0.75 */
	assert.ok(Math.abs(ink[1][1] - seen) < 1e-4 && Math.abs(ink[0][1] - seen * 0.49) < 1e-4, JSON.stringify(ink));
});

test('the axis of values has room for where lines come in and go out', () => {
	const how = { isLogX: false, isLog: false };
	const values = [0, undefined, 8, null, 4];
	const places = [0, 10, 20, 30, 40];
	assert.deepEqual([5, 15, 20, 25, 30, 40].map((x) => passes(values, places, x, how)), [2, 6, 8, null, null, null]);
	assert.deepEqual([passes(values, places, 0, how), passes(values, places, 50, how)], [null, null], 'it begins and ends there');
	assert.ok(Math.abs(passes([1, 100], [1, 100], 10, { isLogX: true, isLog: true }) - 10) < 1e-9);
});

test('rows beside are asked for at those sides where a line has none at the edge', () => {
	const what = { runs: ['r', 's'], groups: [], panel: { keys: ['a'], x: '_step', buckets: 320, from: 90, to: 200 } };
	const piece = (run, first, last) => ({ run, key: 'a', columns: { at: [0, 1], x_first: [first, last], x_last: [first, last] } });
	const silent = (...series) => Object.values(silentSides(what, { series }, [100, 200]));
	assert.deepEqual(silent(piece('r', 95, 200), piece('s', 100, 200)), [false, false]);
	assert.deepEqual(silent(piece('r', 95, 200), piece('s', 101, 200)), [true, false]);
	assert.deepEqual(silent(piece('r', 95, 200), piece('s', 100, 190)), [false, true]);
	assert.deepEqual(silent(piece('r', 95, 200)), [true, true]);
	const { before, after } = sideQuestions(what, 256);
	assert.deepEqual([before.panel, after.panel].map(({ from, to, buckets }) => [from, to, buckets]), [[undefined, 89, 256], [201, undefined, 256]]);
	assert.equal(sideQuestions({ ...what, panel: { ...what.panel, from: 0 } }, 256).before, null, 'there is nothing before the first step');
	assert.equal(endsAsked({ ...what.panel, scale: 'log' }, [-1, 200]), null);
});

test('the row beside is the last before, whatever else its bucket has', () => {
	const what = { runs: ['r'], groups: [], panel: { keys: ['a'], x: '_timestamp', from: 90, to: 200, buckets: 256, columns: ['x_first', 'mean'] } };
	const { before, after } = sideQuestions(what, 256);
	assert.deepEqual([before, after].map(({ panel }) => panel.columns), Array(2).fill(['x_first', 'mean', 'first', 'last']));
	const columns = { at: [0], x_first: [10], x_last: [80], first: [0], last: [100], mean: [50], n: [60], nan: [0], pinf: [0], ninf: [0] };
	const side = { panel: { x: '_timestamp' }, series: [{ run: 'r', key: 'a', host: 'n', columns }] };
	const [piece] = withSides({ panel: { x: '_timestamp' }, series: [] }, { before: side, after: side }).series;
	assert.deepEqual([piece.before.x, piece.before.value, piece.after.value], [80, 100, 0]);
	const two = { ...side, series: ['n', 'm'].map((host) => ({ ...side.series[0], host })) };
	assert.equal(withSides({ panel: { x: '_timestamp' }, series: [] }, { before: two, after: two }).series.length, 2, 'each host has its own');
});

test('a panel that is zoomed asks for what is beside, and draws it when it comes', async () => {
	const wants = [];
	const cancelled = [];
	const cache = { want: (what, listener) => {
		wants.push({ ...what, listener });
		return () => cancelled.push(what);
	} };
	const panel = { seen: true, keys: ['a'], look: { x: '_step', zoom: [165, 177] }, spec: {}, plotNode: { clientWidth: 320 }, page: { ...PAGE, cache } };
	let draws = 0;
	const asking = lineAsking(panel, () => draws++);
	asking.ask();
	wants[0].listener({ answer: answerTo(wants[0].panel, EVALS) });
	await new Promise(setImmediate); /* the part for it is loaded */
	assert.deepEqual([wants.length, panel.data.lines.length], [3, 0]);
	for (const want of wants.slice(1)) want.listener({ answer: answerTo(want.panel, EVALS) });
	assert.deepEqual(panel.data.lines.map(({ before, after }) => [before.x, after.x]), [[160, 180]]);
	assert.equal(draws, 3);
	asking.ask();
	wants[3].listener({ answer: answerTo(wants[3].panel, EVALS) });
	assert.equal(wants.length, 4, 'the rows that are next stay so');
	panel.look = { x: '_step', zoom: [166, 178] };
	asking.ask();
	wants[4].listener({ answer: answerTo(wants[4].panel, EVALS) });
	assert.equal(wants.length, 7);
	asking.stop();
	assert.deepEqual(cancelled.slice(-2), wants.slice(5).map(({ listener: _, ...what }) => what), 'what is under way ends with the panel');
});
