/* What is drawn of lines beside what they were answered as: formulas, means, logarithms, several keys. */

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { legendNames } from '../../../web-static/js/chart/panel/legend_names.js';
import { bucketAt, endsOf, gridOf, placeOf } from '../../../web-static/js/chart/data/buckets.js';
import { evaluatedKeys, evaluationsOfRun } from '../../../web-static/js/chart/data/evaluations.js';
import { eventPlaces, eventsOf, placeOfTime } from '../../../web-static/js/chart/data/events.js';
import { formulaLines, formulaOf } from '../../../web-static/js/chart/line/formula.js';
import { lineAsking } from '../../../web-static/js/chart/line/line_asking.js';
import { checkpointsOf } from '../../../web-static/js/chart/data/checkpoints.js';
import { drawnLines } from '../../../web-static/js/chart/line/drawn_lines.js';
import { focusRun } from '../../../web-static/js/base/focus.js';
import { eventLines, marked } from '../../../web-static/js/chart/line/line_paint.js';
import { labelMean } from '../../../web-static/js/chart/line/label_mean.js';
import { bandOf, countChanges, linesOf, oddities } from '../../../web-static/js/chart/line/lines.js';
import { csvOf, linesOfJson } from '../../../web-static/js/chart/panel/panel_export.js';
import { movingMean } from '../../../web-static/js/chart/line/smooth.js';
import { settled } from './settled.mjs';

test('formula: sums of keys by their letters, in the usual order', () => {
	const of = (text, ...values) => formulaOf(text, values.length).value(values);
	assert.deepEqual(
		[
			of('a/b', 6, 3),
			of('a + b*2', 1, 2),
			of('(a+b)*2', 1, 2),
			of('-a^2', 3),
			of('2^3^2'),
			of('1e3 - .5'),
			of('8/2/2'),
			of('log(exp(a))', 2),
			of('abs(-a) - sqrt(b)', 1, 9),
			of(' log10( a ) ', 1000),
		].map((value) => Number(value.toPrecision(12))),
		[2, 5, 6, -9, 512, 999.5, 2, 2, -2, 3],
	);
});

test('formula: what is none is told by its place, however long or deep', () => {
	const fault = (text, keys = 2) => formulaOf(text, keys).fault;
	assert.deepEqual(
		['a/', 'a//b', '(a', 'a)', 'c', 'a b', 'x(a)', 'log', 'a$b', 'constructor', '2..3', ')'].map((text) =>
			fault(text),
		),
		[2, 2, 2, 1, 0, 2, 0, 0, 1, 0, 2, 0],
	);
	assert.equal(fault('('.repeat(100)) > 10, true);
	assert.equal(fault('-'.repeat(100) + 'a') > 10, true);
	assert.equal(fault('a'.padEnd(201, '+a')), 200);
	assert.equal(typeof formulaOf('a'.padEnd(199, '+a'), 1).value([1]), 'number');
	assert.deepEqual(formulaOf('  ', 2), {});
});

const zeros = (list) => list.map(() => 0);

test('formula: a line where all keys have a value; what is not finite is counted', () => {
	const line = (who, key, mean) => ({ who, key, run: who, mean, n: mean.map(() => 2), x: [0, 1, 2],
		nan: zeros(mean), pinf: zeros(mean), ninf: zeros(mean) });
	const lines = [line('r', 'x', [4, 1, null]), line('r', 'y', [2, 0, 5]), line('s', 'x', [1, 1, 1])];
	const [made, ...more] = formulaLines(lines, { keys: ['x', 'y'], formula: 'a/b', count: 3 });
	assert.deepEqual(
		[made.mean, made.nan, made.pinf, made.n, made.name, more.length],
		[[2, null, null], [0, 0, 0], [0, 1, 0], [2, 0, 0], 'r', 0],
	);
	assert.equal(formulaLines(lines, { keys: ['x', 'y'], formula: 'a/', count: 3 }), lines);
});

test('formula: buckets of nothing but NaN or Inf in a key are marked and break the line, where the others have rows, too', () => {
	const line = (key, mean, n, odd) => ({ who: 'r', key, run: 'r', mean, n, x: [0, 1, 2, 3, 4], ...odd });
	const lines = [
		line('x', [1, null, null, 4, null], [1, 0, 0, 1, 0],
			{ nan: [0, 3, 0, 0, 5], pinf: [0, 0, 2, 0, 0], ninf: [0, 0, 0, 1, 0] }),
		line('y', [2, 2, null, 2, null], [1, 1, 0, 1, 0], { nan: [0, 1, 1, 0], pinf: [0, 0, 0, 0], ninf: [0, 0, 0, 0] }),
	];
	const [made] = formulaLines(lines, { keys: ['x', 'y'], formula: 'a*b', count: 5 });
	assert.deepEqual([made.mean, made.n], [[2, null, null, 8, null], [1, 0, 0, 1, 0]]);
	assert.deepEqual([made.nan, made.pinf, made.ninf], [[0, 3, 1, 0, 0], [0, 0, 2, 0, 0], [0, 0, 0, 1, 0]]);
	assert.deepEqual(oddities([made], gridOf({ x: '_step', from: 0, to: 4, buckets: 5 }), true),
		{ nan: 4, inf: 3, first: { x: 1, name: 'r' } });
});

test('mean of rows: as many as are asked for, of buckets in part, over gaps, and of the greatest numbers', () => {
	assert.deepEqual(movingMean([1, 2, 3, 4], [1, 1, 1, 1], 2), [1, 1.5, 2.5, 3.5]);
	assert.deepEqual(movingMean([0, 10], [10, 1], 2), [0, 5]);
	assert.deepEqual(movingMean([2, null, undefined, 4], [1, 0, 0, 1], 5), [2, null, undefined, 3]);
	assert.ok(movingMean([1e300, 1, 1.7e308, 1.7e308], [9, 9, 9, 9], 12).every(Number.isFinite));
});

test('logarithmic x: buckets are parts of the logarithm', () => {
	const grid = gridOf({ x: 'lr', from: 0.001, to: 1, buckets: 3 }, true);
	assert.deepEqual([0, 1, 2].map((at) => Number(placeOf(grid, at).toPrecision(4))), [0.003162, 0.03162, 0.3162]);
	assert.deepEqual([0.005, 0.05, 0.5].map((x) => bucketAt(grid, x)), [0, 1, 2]);
	assert.deepEqual(endsOf(grid).map((x) => Number(x.toPrecision(6))), [0.001, 1]);
	assert.equal(gridOf({ x: 'lr', from: 2, to: 2, buckets: 64 }, true).count, 1);
});

test('lines: of a group the median within what most runs have, where it was asked for', () => {
	const columns = { at: [0, 2], x_first: [0, 2], mean: [5, 6], min: [0, 0], max: [9, 9], n: [4, 4], runs: [4, 4], std: [1, 1] };
	const of = (more) => linesOf(
		{ panel: { x: '_step', from: 0, to: 2, buckets: 3, missing: [] }, series: [{ group: 'g', key: 'a', runs: 4, columns: { ...columns, ...more } }] },
		{ runs: [], groups: [{ id: '~g', name: 'g', slot: 0 }] }, ['a']).lines[0];
	const line = of({ p10: [1, 2], p50: [4, 5], p90: [7, 8] });
	assert.deepEqual([line.mean, bandOf(line, 'middle')], [[4, null, 5], { low: [1, null, 2], high: [7, null, 8] }]);
	assert.deepEqual([of().mean, bandOf(of(), 'middle').high], [[5, null, 6], [9, null, 9]]);
	const [made] = formulaLines([line], { keys: ['a'], formula: 'a * 10', count: 3 });
	assert.deepEqual([made.mean, bandOf(made, 'middle')], [[40, null, 50], { low: made.mean, high: made.mean }], 'a band of its own, not of its first key');
	const panel = { data: { x: '_step' }, ones: [{ line: { ...line, run: 'g', who: '~g' }, smooth: line.mean }] };
	assert.deepEqual(csvOf(panel).split('\r\n').slice(0, 2), ['run,id,key,_step,mean,smoothed,min,max,n,nan,inf,median,p10,p90', 'g,~g,a,0,5,4,0,9,4,0,0,4,1,7']);
	assert.equal(JSON.parse(linesOfJson(panel).split('\n')[1]).median, 5);
});

test('lines: of a group, what is not finite is counted, and where nothing else is the line and its band break', () => {
	const columns = {
		at: [0, 1, 2], x_first: [0, 1, 2], mean: [5, 6, NaN], min: [1, 6, NaN], max: [9, 6, NaN], n: [2, 1, 0], runs: [2, 1, 0],
		std: [3, NaN, NaN], nan: [0, 1, 1], pinf: [0, 0, 1], ninf: [0, 0, 0], p10: [2, 6, NaN], p50: [5, 6, NaN], p90: [8, 6, NaN],
	};
	const answer = { panel: { x: '_step', from: 0, to: 2, buckets: 3, missing: [] }, series: [{ group: 'g', key: 'a', runs: 2, columns }] };
	const { lines: [line], grid } = linesOf(answer, { runs: [], groups: [{ name: 'g', slot: 0 }] }, ['a']);
	assert.deepEqual([line.mean, line.means, line.nan, line.pinf], [[5, 6, null], [5, 6, null], [0, 1, 1], [0, 0, 1]]);
	assert.deepEqual(bandOf(line, 'middle'), { low: [2, 6, null], high: [8, 6, null] });
	assert.deepEqual(oddities([line], grid, true), { nan: 2, inf: 1, first: { x: 1, name: 'g' } });
	const panel = { data: { x: '_step' }, ones: [{ line: { ...line, run: 'g', who: '~g' }, smooth: line.mean }] };
	assert.deepEqual(csvOf(panel).trim().split('\r\n').slice(2), ['g,~g,a,1,6,6,6,6,1,1,0,6,6,6', 'g,~g,a,2,,,,,0,1,1,,,']);
});

test('lines: of several keys, and of labels, each has its own', () => {
	const columns = { at: [0], x_first: [0], mean: [1], min: [1], max: [1], n: [1] };
	const answer = (...series) => ({
		panel: { x: '_step', from: 0, to: 9, buckets: 10, missing: [] },
		series: series.map((one) => ({ columns, ...one })),
	});
	const [one, two] = [
		{ id: 'r', name: 'R', slot: 3 },
		{ id: 's', name: 'S', slot: 4 },
	];
	const of = (runs, keys, ...series) =>
		linesOf(answer(...series), { runs, groups: [] }, keys).lines.map(({ id, who, name, slot, dash }) => [
			id,
			who,
			name,
			slot,
			dash,
		]);
	assert.deepEqual(of([one], ['a'], { run: 'r', key: 'a' }), [['r', 'r', 'R', 3, undefined]]);
	assert.deepEqual(of([one], ['a', 'b'], { run: 'r', key: 'b' }, { run: 'r', key: 'a' }), [
		['["r","a"]', 'r', 'a', 0, undefined],
		['["r","b"]', 'r', 'b', 1, undefined],
	]);
	assert.deepEqual(of([one, two], ['a', 'b'], { run: 's', key: 'b' }), [['["s","b"]', 's', 'S b', 4, 1]]);
	assert.deepEqual(
		of([one], ['a'], { run: 'r', key: 'a', label: 'x', writer: 0 }, { run: 'r', key: 'a', label: 'y', writer: 1 }),
		[
			['["r","a",0]', 'r', 'x', 0, undefined],
			['["r","a",1]', 'r', 'y', 1, undefined],
		],
	);
});

test('events: where their time lies among rows, and at the ends of all', () => {
	const rows = { places: [0, 10, 20], times: [100, 200, 200] };
	assert.deepEqual(
		[50, 100, 150, 200, 900].map((time) => placeOfTime(time, rows)),
		[0, 0, 5, 10, 20],
	);
	const events = eventsOf({
		states: [
			{ from: null, to: 'running', at: '2026-03-01T09:00:00Z' },
			{ from: 'running', to: 'failed', at: '2026-03-01T09:00:30Z' },
		],
		alerts: [{ title: 'high', level: 'warn', created_at: '2026-03-01T09:00:10Z' }],
	});
	assert.deepEqual(
		events.map(({ name, kind }) => [name, kind]),
		[
			['high', 'warn'],
			['becomes failed', 'state'],
		],
	);
	assert.deepEqual(eventsOf({}), []);
});

test('rows that could not be read are asked for again after a while, though no more come', (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const wants = [];
	const cache = { want: (question, listener) => {
		wants.push({ ...question, listener });
		return () => {};
	} };
	const panel = { seen: true, keys: ['a'], look: { x: '_step' }, spec: {}, plotNode: { clientWidth: 64 },
		page: { runs: [{ id: 'r', name: 'R', slot: 1 }], groups: [], cache } };
	const columns = { at: [0], x_first: [0], mean: [1], min: [1], max: [1], n: [1] };
	const good = { answer: { panel: { x: '_step', from: 0, to: 9, buckets: 10, missing: [] }, series: [{ run: 'r', key: 'a', columns }], faults: [] } };
	const asking = lineAsking(panel, () => {});
	asking.ask();
	wants[0].listener(good);
	asking.rowsCame('r', 3);
	for (const [at, bad] of [{ fault: { status: 0 } }, { answer: { ...good.answer, faults: [{ status: 500 }] } }].entries()) {
		t.mock.timers.tick(6000);
		assert.deepEqual([wants.length, wants.at(-1).panel.from + 0], [at + 2, 0]);
		wants.at(-1).listener(bad);
		t.mock.timers.tick(3000);
		assert.equal(wants.length, at + 2, 'not at once');
	}
	t.mock.timers.tick(3000);
	wants.at(-1).listener(good);
	t.mock.timers.tick(60000);
	assert.equal(wants.length, 4);
	asking.stop();
});

function askingPanel(t) {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	let now = 0;
	t.mock.method(performance, 'now', () => now);
	const wants = [];
	const cache = { want: (what, listener) => wants.push({ ...what, listener }) && (() => {}) };
	const panel = {
		seen: true, keys: ['a'], spec: {}, look: { x: '_step' }, plotNode: { clientWidth: 640 }, page: { runs: [{ id: 'r', name: 'R' }], groups: [], cache },
	};
	const columns = { at: [0], x_first: [0], mean: [1], min: [1], max: [1], n: [1] };
	const good = { answer: { panel: { x: '_step', from: 0, to: 9, buckets: 10, missing: [] }, series: [{ run: 'r', key: 'a', columns }], faults: [] } };
	return { panel, wants, good, tick: (ms) => (now += ms, t.mock.timers.tick(ms)) };
}

test('what nobody answered is asked for again by itself, what was refused is not', (t) => {
	const { panel, wants, good, tick } = askingPanel(t);
	const asking = lineAsking(panel, () => {});
	asking.ask();
	wants[0].listener({ fault: { status: 0 } });
	tick(4000);
	assert.equal(wants.length, 1, 'not at once');
	tick(2000);
	assert.equal(wants.length, 2);
	wants[1].listener({ fault: { status: 503 } });
	asking.stop();
	tick(60000);
	assert.equal(wants.length, 2, 'nobody looks');
	asking.ask();
	wants[2].listener({ fault: { status: 404 } });
	tick(60000);
	assert.equal(wants.length, 3);
	asking.ask();
	wants[3].listener(good);
	tick(60000);
	assert.deepEqual([wants.length, panel.fault], [4, undefined]);
});

test('a panel that is sized while it is asked for gets the buckets of its size', (t) => {
	const { panel, wants, good } = askingPanel(t);
	const asking = lineAsking(panel, () => {});
	asking.ask();
	panel.plotNode.clientWidth = 1280;
	asking.sized();
	assert.equal(wants.length, 1);
	wants[0].listener(good);
	assert.deepEqual(wants.map((want) => want.panel.buckets), [640, 1280]);
	wants[1].listener(good);
	assert.equal(wants.length, 2);
	panel.plotNode.clientWidth = 640;
	asking.sized();
	wants[2].listener({ fault: { status: 422 } });
	assert.equal(wants.length, 3, 'what was refused is not asked for again and again');
	asking.stop();
});

test('rows that come after the only one along time are drawn where they lie: the whole is asked for anew', (t) => {
	const { panel, wants, good: { answer }, tick } = askingPanel(t);
	const asking = lineAsking(panel, () => {});
	panel.look.x = '_relative';
	asking.ask();
	wants[0].listener({ answer: { ...answer, panel: { ...answer.panel, x: '_relative', to: 0 } } });
	asking.rowsCame('r', 1);
	tick(1000);
	const columns = { at: [0, 9], x_first: [0, 5], x_last: [0, 5], mean: [1, 2], min: [1, 2], max: [1, 2], n: [1, 1] };
	wants[1].listener({ answer: { ...answer, series: [{ run: 'r', key: 'a', columns }] } });
	tick(1000);
	assert.deepEqual(wants.map((want) => want.panel.from), [undefined, 0, undefined]);
	asking.stop();
});

test('events: places that nobody told, or that there were none of before the first row, are asked for again', () => {
	const asked = [];
	const page = { runs: [{ id: 'r' }], look: {}, cache: { want: (what, listener) => asked.push(listener) } };
	const events = eventPlaces(page, () => {});
	events.set([{ time: 5, name: 'becomes running' }]);
	assert.deepEqual(events.at('_step'), []);
	asked[0]({ fault: { status: 0 } });
	assert.deepEqual([events.at('_step'), asked.length], [[], 1]);
	events.rowsCame('r');
	events.at('_step');
	asked[1]({ answer: { series: [{ columns: { at: [0, 1], last: [0, 10], x_last: [0, 100] } }] } });
	events.rowsCame('r');
	assert.deepEqual([events.at('_step').map(({ x }) => x), asked.length], [[50], 2]);
	assert.deepEqual(events.at('_process'), [], 'several processes have the same time');
	const several = eventPlaces({ ...page, runs: [{ id: 'r', writers: () => 2 }] }, () => {});
	several.set([{ time: 20, name: 'becomes finished' }]);
	several.at('_step');
	const columns = { at: [0, 1, 2], min: [0, 10, 20], last: [5, 15, 90], x_last: [0, 100, 149] };
	asked[2]({ answer: { series: [{ columns }] } });
	assert.deepEqual(several.at('_step').map(({ x }) => x), [149], 'where the first was, not who is behind');
});

test('evaluations: one key of each section that is one, unless every row has it', async () => {
	const item = (key, count, kind = 'number') => ({ key, count, kinds: [kind] });
	const items = [item('train/loss', 9), item('eval/loss', 4), item('eval/acc', 5), item('a/val/x', 2), item('val_loss', 3),
		item('evaluator/x', 1), item('test/all', 501), item('test/table', 1, 'string'), item('interval_s', 2)];
	assert.deepEqual(evaluatedKeys(items).map(({ name, key }) => [name, key]), [['eval', 'eval/acc'], ['a/val', 'a/val/x'], ['val', 'val_loss']]);
	const asked = [];
	const buckets = [{ x_first: 10, last: 0.5 }, { x_first: 20, last: 0.75 }];
	let changes = 0;
	const told = new Promise((resolve) => {
		const ask = async (method, path) => {
			asked.push(path);
			return { status: 200, body: { series: [{ buckets }] } };
		};
		const evaluations = evaluationsOfRun('r', () => ++changes > 1 && resolve(evaluations), { ask });
		assert.deepEqual(evaluations.at('_step'), []);
		evaluations.set([item('eval/a,b', 2)]);
		assert.deepEqual([evaluations.at('_step'), changes], [[], 1]);
	});
	const evaluations = await told;
	assert.deepEqual(asked, ['r/history?keys=eval%2Fa%5C%2Cb&x=_step&buckets=20000']);
	assert.deepEqual(evaluations.at('_step').map(({ x, name }) => [x, name]), [[10, 'evaluated: eval/a,b 0.5'], [20, 'evaluated: eval/a,b 0.75']]);
	evaluations.stop();
	const page = { runs: [{ id: 'r' }], look: {}, cache: {} };
	const marks = (length) => ({ at: () => Array.from({ length }, (_, x) => ({ x })) });
	const many = marks(21);
	const shown = (look, of) => eventPlaces({ ...page, look }, () => {}, of).at('_step').length;
	assert.deepEqual([shown({}, many), shown({ events: true }, many), shown({}, evaluations), shown({ events: false }, evaluations)], [0, 21, 2, 0]);
	const isShown = (look, of) => eventPlaces({ ...page, look }, () => {}, of).isShown();
	assert.deepEqual([isShown({}, many), isShown({ events: true }, many), isShown({}, evaluations), isShown({}, null)], [false, true, true, true], 'as the switch says');
	const both = eventPlaces({ ...page, look: { x: '_timestamp' } }, () => {}, marks(20));
	both.set([{ time: 5, name: 'becomes running' }]);
	assert.deepEqual([both.isShown(), both.at('_timestamp')], [false, []], 'all of them or none');
});

test('events: one line a px, of those that are seen', () => {
	const events = [{ x: 1, kind: 'evaluation' }, { x: 1.2, kind: 'error' }, { x: 5, kind: 'odd' }, { x: 50, kind: 'warn' }];
	assert.deepEqual(eventLines(events, { toPx: (x) => x, first: 0, last: 10 }), [[1, '--failed'], [5, '--text-3']]);
});

test('lines: labels as one line, each counts once however many rows it has; a bucket of one has no deviation', () => {
	const line = (mean, n) => ({
		mean, n, x: mean.map((_, at) => at), xEnd: mean.map((_, at) => at), min: mean, max: mean, nan: mean.map(() => 1), pinf: mean.map(() => 0), ninf: mean.map(() => 0),
	});
	const made = labelMean([line([1, 2, null], [1, 1, 0]), line([3, null, null], [99, 0, 0])], 3);
	assert.deepEqual([made.mean, made.min, made.max, made.runs], [[2, 2, null], [1, 2, null], [3, 2, null], [2, 1, 0]]);
	assert.deepEqual([made.spread, made.n, made.nan], [[Math.SQRT2, null, null], [100, 1, 0], [2, 2, 2]]);
});

test('checkpoints: files that end as such, and folders of parts as one, when its last part came', () => {
	const names = ['model.pt', 'notes.txt', 'out/checkpoint-500/a.bin', 'out/checkpoint-500/b.bin', 'ckpt_2/x', 'checkpoints/readme.md', 'w.SafeTensors'];
	const found = checkpointsOf(names.map((name, at) => ({ name, updated_at: `2026-01-0${at + 1}` })));
	assert.deepEqual(found.map(({ name, updated_at: at }) => [name, at]), [
		['model.pt', '2026-01-01'], ['out/checkpoint-500', '2026-01-04'], ['ckpt_2', '2026-01-05'], ['w.SafeTensors', '2026-01-07'],
	]);
});

/* A page whose runs have what `values` says; `asked` are the fields of each question. */
function pageOf(values, isAway = () => false) {
	const asked = [];
	const own = (of, fields) => Object.fromEntries(fields.filter((field) => field in of).map((field) => [field, of[field]]));
	const found = ({ runs, fields }) => Object.fromEntries(runs.map((run) => [run, own(values[run] ?? {}, fields)]));
	const want = (question, listener) => {
		asked.push(question.fields);
		setImmediate(() => listener(isAway() ? { fault: { status: 503 } } : { values: found(question), numbers: {} }));
	};
	return { asked, path: '/p', runs: Object.keys(values).map((id) => ({ id })), values: { want } };
}

test('lines are called by a pattern of keys, and what a run has not is told so', async () => {
	const page = pageOf({ r: { 'config.lr': 0.01, state: 'failed' }, s: {} });
	let changes = 0;
	const { named } = legendNames(page, () => changes++);
	const lines = [
		{ who: 'r', run: 'R {x}', name: 'R {x} loss', rest: 'loss' },
		{ who: 's', run: 'S', name: 'loss', rest: 'loss' },
		...[null, undefined].map((opt) => ({ who: 'group:g', run: 'g', name: 'g', isGroup: true, of: { own: { 'config.opt': opt } } })),
	];
	const names = (pattern) => named(lines, pattern).map(({ name }) => name);
	names('{name} lr={config.lr}');
	await settled();
	assert.deepEqual(names('{name} lr={config.lr}'), ['R {x} lr=0.01 loss', 'S lr=— loss', 'g lr=—', 'g lr=—']);
	assert.deepEqual(names('{id} {nonsense} {config.opt}'), ['r — — loss', 's — — loss', '— — null', '— — (no value)']);
	assert.deepEqual(names('plain'), ['plain loss', 'plain loss', 'plain', 'plain']);
	await settled();
	assert.deepEqual([page.asked, changes], [[['config.lr'], ['config.opt']], 1], 'each is asked for once, and no more than there can be');
});

test('a value of null is said, and an empty text; only what a run has not is a dash', async () => {
	const page = pageOf({ r: { 'config.lr': null }, s: { 'config.lr': '' }, t: {} });
	const { named } = legendNames(page, () => {});
	const names = () => named(['r', 's', 't'].map((who) => ({ who, run: who, name: who })), '{name} {config.lr}').map(({ name }) => name);
	names();
	await settled();
	assert.deepEqual(names(), ['r null', 's ""', 't —']);
});

test('in names of lines a number of a config is as it was written, a metric has four digits', async () => {
	const page = pageOf({ r: { 'config.lr': 0.00012345678, 'config.steps': 300000, 'summary.loss': 0.00012345678 } });
	const { named } = legendNames(page, () => {});
	const name = () => named([{ who: 'r', run: 'r', name: 'r' }], '{config.lr} {config.steps} {summary.loss}')[0].name;
	name();
	await settled();
	assert.equal(name(), '0.00012345678 300000 0.0001235');
});

test('a key that begins as its run is called whole beside a name by a pattern', () => {
	const columns = { at: [0], x_first: [0], mean: [5], min: [5], max: [5], n: [1] };
	const answer = { panel: { x: '_step', from: 0, to: 1, buckets: 1, missing: [] },
		series: ['train/loss', 'train/acc'].map((key) => ({ run: 'train', key, columns })) };
	const { lines } = linesOf(answer, { runs: [{ id: 'train', name: 'train' }], groups: [] }, ['train/loss', 'train/acc']);
	const { named } = legendNames(pageOf({ train: {} }), () => {});
	assert.deepEqual(named(lines, '{id}').map(({ name }) => name), ['train train/loss', 'train train/acc']);
});

test('several patterns on a page are asked for once, each field with its first draw, and all again when rows came', async () => {
	const values = { r: { 'config.lr': 0.01, 'summary.loss': 3 } };
	const page = pageOf(values);
	const lines = [{ who: 'r', run: 'r', name: 'r' }];
	const panels = ['{config.lr}', '{summary.loss}', '{summary.loss} {config.lr}'];
	const draw = () => panels.map((pattern) => names.named(lines, pattern)[0].name);
	let drawn = 0;
	const names = legendNames(page, () => {
		drawn++;
		draw();
	});
	draw();
	await settled();
	assert.deepEqual([page.asked, drawn, draw()], [[['config.lr'], ['summary.loss']], 2, ['0.01', '3', '3 0.01']]);
	mock.timers.enable({ apis: ['setTimeout'] });
	values.r['summary.loss'] = 2;
	names.soon();
	mock.timers.tick(2000);
	mock.timers.reset();
	await settled();
	assert.deepEqual([page.asked.slice(2), drawn, draw()[1]], [[['config.lr', 'summary.loss']], 3, '2']);
	page.runs = [{ id: 's' }];
	draw();
	await settled();
	assert.equal(page.asked.length, 5, 'of other runs anew');
	names.stop();
});

test('names that could not be read are asked for again', async () => {
	let isAway = true;
	const values = { r: { 'config.lr': 1 } };
	const page = pageOf(values, () => isAway);
	const { named, stop } = legendNames(page, () => {});
	const name = () => named([{ who: 'r', run: 'r', name: 'r' }], '{config.lr}')[0].name;
	mock.timers.enable({ apis: ['setTimeout'] });
	name();
	for (let at = 0; at < 3; at++) await new Promise(setImmediate);
	isAway = false;
	assert.deepEqual([name(), page.asked.length], ['—', 1]);
	mock.timers.tick(5000);
	for (let at = 0; at < 3; at++) await new Promise(setImmediate);
	mock.timers.reset();
	assert.deepEqual([name(), page.asked.length], ['1', 2]);
	stop();
});

test('where a mean is of another number of runs than before', () => {
	assert.deepEqual(countChanges({ runs: [0, 3, 3, 0, 3, 2, 0, 0, 4, 4] }), [5, 8]);
	assert.deepEqual([countChanges({ runs: [] }), countChanges({ runs: [0, 0, 2] })], [[], []]);
});

test('of three lines all have their bands, of more the one in focus, which takes no room of its own', () => {
	const line = (_, at) => ({ id: `l${at}`, who: `r${at}`, key: 'loss', mean: [at, at], min: [at - 1, at - 1], max: [at + 1, at + 1], n: [2, 2] });
	const none = { drawn: () => [], put: () => {} };
	const bandsOf = (count, band = 'minmax') => {
		const { bands, widths } = drawnLines({ data: { grid: { count: 2 } }, look: { band }, shown: Array.from({ length: count }, line), others: [],
			spec: {}, page: {}, order: { now: () => none }, members: { now: () => none } });
		return [[...bands.keys()], [...widths.keys()]];
	};
	const all = ['l0', 'l1', 'l2'];
	assert.deepEqual(bandsOf(3), [all, all]);
	assert.deepEqual(bandsOf(4), [[], []]);
	focusRun('r1');
	assert.deepEqual(bandsOf(4), [['l1'], []]);
	assert.deepEqual(bandsOf(4, 'none'), [[], []]);
	focusRun('of another panel');
	assert.deepEqual(bandsOf(4), [[], []]);
	focusRun(null);
});

test('marks of a stretch are apart, so that they look like no line', () => {
	const dense = Array.from({ length: 40 }, (_, at) => at < 10 || at === 39 ? 2 : 0);
	assert.deepEqual(marked(dense, (at) => at * 2, 6), [0, 5, 39]);
	assert.deepEqual(marked([0, 0], (at) => at, 6), []);
});
