import assert from 'node:assert/strict';
import test from 'node:test';

import { bestOf, changeOf, directionsOf, isEqual, judged, listOf, mediaLast, rowsOf, shownSections, tableOf, valuesOf } from '../../../web-static/js/compare/model/model.js';
import { changeText } from '../../../web-static/js/compare/model/change.js';
import { compareReader } from '../../../web-static/js/compare/model/read.js';
import { matcherOf } from '../../../web-static/js/ui/matcher.js';
import { environmentOf, packagesOf, writersOf } from '../../../web-static/js/compare/environment.js';
import { diffLines } from '../../../web-static/js/base/text_diff.js';
import { scaleOf } from '../../../web-static/js/chart/data/scale.js';
import { isLogAxis } from '../../../web-static/js/compare/plot_tools.js';
import { readView } from '../../../web-static/js/compare/view.js';
import { csvOf } from '../../../web-static/js/base/csv.js';

const VIEW = { isOnly: true, find: '', pins: [] };

function rows(...documents) {
	return rowsOf(documents.map(valuesOf));
}

test('keys of all runs in their order, what is missing is undefined', () => {
	assert.deepEqual(rows({ a: { b: 1 }, _wandb: { x: 1 } }, { c: [1], a: { b: 2 } }).map(({ key, values }) => [key, values]),
		[['a.b', [1, 2]], ['c', [undefined, [1]]]]);
	assert.deepEqual(rows({ __proto__x: 1, constructor: 2 }, {}).map(({ key }) => key), ['__proto__x', 'constructor']);
	assert.deepEqual(rows(), []);
});

test('equal: by value, whatever the order of members; missing differs from null', () => {
	const equal = (...values) => isEqual(values);
	assert.ok(equal([{ a: 1, b: [2] }], [{ b: [2], a: 1 }]));
	assert.ok(equal('x', 'x', 'x') && equal(undefined, undefined));
	assert.ok(!equal(1, '1') && !equal(null, undefined) && !equal([1, 2], [2, 1]) && !equal(0, false));
});

test('changes against the baseline', () => {
	assert.deepEqual(changeOf(3, 2), { absolute: 1, relative: 0.5 });
	assert.deepEqual(changeOf(-1, -2), { absolute: 1, relative: 0.5 });
	assert.deepEqual(changeOf(3, 0), { absolute: 3, relative: null });
	const said = (value, base) => changeText(changeOf(value, base), 'relative');
	assert.deepEqual([said(3, 2), said(0.9996, 1), said(1, 1.0004), said(2, 1.999), said(0.002588, 1.13e-10), said(5, 0)],
		['+50 %', '−0.04 %', '−0.04 %', '+0.05 %', '+2.3e9 %', '+5']);
	for (const [value, base] of [['3', 2], [3, undefined], [NaN, 1], [null, 1], [Infinity, 1]]) assert.equal(changeOf(value, base), null);
	assert.deepEqual([judged(changeOf(1, 2), 'lower'), judged(changeOf(1, 2), 'higher'), judged(changeOf(2, 2), 'lower'), judged(changeOf(1, 2))],
		['better', 'worse', '', '']);
});

test('the best where a direction is known', () => {
	const best = (direction, ...values) => bestOf({ direction, values });
	assert.deepEqual(best('lower', 3, 1, 'NaN', 1), [1, 3]);
	assert.deepEqual(best('higher', 3, 1, undefined), [0]);
	assert.deepEqual([best(undefined, 1, 2), best('lower', 1, 1), best('lower', 1, undefined)], [[], [], []]);
	const configs = [{ _wandb: { m: [{ 1: 'loss', 8: 1 }, { 1: 'acc', 7: [2] }, { 1: 'both', 8: 1 }, { 1: 'none', 6: [3] }] } },
		{ _wandb: { m: [{ 1: 'both', 8: 2 }] } }, {}, { _wandb: { m: 'odd' } }, null];
	const found = directionsOf(configs);
	assert.deepEqual(['loss', 'acc', 'both', 'none'].map((key) => found.get(key)), ['lower', 'higher', undefined, undefined]);
	assert.deepEqual(rowsOf([new Map([['loss', 1], ['acc.max', 1], ['acc.other', 1]])], found).map(({ direction }) => direction), ['lower', 'higher', undefined]);
	const said = directionsOf(configs, [{ key: 'loss', better: 'higher' }, { key: 'both', better: 'lower' }, { key: 'mine', better: 'lower' }]);
	assert.deepEqual(['loss', 'acc', 'both', 'mine'].map((key) => said.get(key)), ['higher', 'higher', 'lower', 'lower'], 'the project has the last word');
	assert.equal(directionsOf([{ _wandb: { m: [{ 1: 'x', 7: [1, 2] }] } }]).size, 0, 'least and greatest are both kept: neither is sought');
});

test('what is shown: differences, pinned ones first and always, found by a regular expression', () => {
	const sections = [{ id: 'summary', rows: rows({ a: 1, b: 1, c: 3 }, { a: 2, b: 1, c: 3 }) }, { id: 'config', rows: rows({ a: 1 }, { a: 1 }) }];
	const shown = (view) => shownSections(sections, { ...VIEW, ...view }).map(({ rows: some, differ, same }) => [some.map(({ key }) => key).join(), differ, same]);
	assert.deepEqual(shown({}), [['a', 1, 2], ['', 0, 1]]);
	assert.deepEqual(shown({ isOnly: false, pins: ['c', 'gone'] }), [['c', undefined, undefined], ['a,b', 1, 2], ['a', 0, 1]]);
	assert.deepEqual(shown({ pins: ['b'] }), [['b', undefined, undefined], ['a', 1, 2], ['', 0, 1]]);
	assert.deepEqual(shown({ isOnly: false, find: '^[bc]$' }), [['b,c', 0, 2], ['', 0, 0]]);
	const wrong = matcherOf('a[');
	assert.deepEqual([wrong.isWrong, wrong('xa[y'), wrong('a')], [true, true, false]);
	assert.deepEqual(listOf(shownSections(sections, VIEW), new Set(['config'])).map(({ kind, row }) => row?.key ?? kind), ['section', 'a', 'section']);
	assert.deepEqual(listOf(shownSections(sections, { ...VIEW, pins: ['c'] }), new Set(['summary'])).map(({ kind, row }) => row?.key ?? kind),
		['c', 'section', 'section'], 'what is pinned is on top and is not folded');
});

test('as CSV, where a formula stays a text', () => {
	const shown = shownSections([{ id: 'config', rows: rows({ f: '=1+1', o: [1, 'a,b'], n: 1e-4 }, { f: 'x' }) }], VIEW);
	const { heads, rows: cells } = tableOf(shown, ['one', '=two'], { section: 'Section', key: 'Key' });
	assert.equal(csvOf(heads, cells), 'Section,Key,one,\'=two\r\nconfig,f,\'=1+1,x\r\nconfig,o,"[1,""a,b""]",\r\nconfig,n,0.0001,\r\n');
});

test('texts line by line', () => {
	const told = (a, b) => diffLines(a, b).map(([sign, line]) => sign + line).join('|');
	assert.equal(told('a\nb\nc', 'a\nx\nc'), ' a|-b|+x| c');
	assert.equal(told('a\nb', 'a\nb'), ' a| b');
	assert.equal(told('', 'a'), '+a');
	assert.equal(told('a', ''), '-a');
	assert.equal(told('', ''), '');
	assert.equal(told('a\nb\nc\nd', 'b\nc\nx\nd'), '-a| b| c|+x| d');
	const long = Array.from({ length: 5000 }, (_, at) => `line ${at}`).join('\n');
	assert.equal(diffLines(long, long.replaceAll('line', 'row')).length, 10000);
});

test('packages and writers', () => {
	assert.deepEqual(packagesOf('# pinned\nnumpy==1.26.0\n\n-e git+x\n'), [['numpy', '1.26.0'], ['-e git+x', 'installed']]);
	const writer = { role: 'worker', host: 'n1', state: 'lost', history_rows: 2, dropped_rows: 1 };
	const writers = [writer, { ...writer, role: 'primary', state: 'ended' }];
	assert.deepEqual([...writersOf({ writers, areCut: false }, 1).entries()], [['writers', 2], ['primaries', 1], ['workers', 1], ['hosts', 1],
		['lost', 1], ['rows sent', 4], ['rows dropped', 2]]);
});

test('of a run with more writers than are read it is said of how many each number is', async (t) => {
	const writer = { role: 'worker', state: 'lost', history_rows: 2, dropped_rows: 0, client_version: null };
	t.mock.method(globalThis, 'fetch', async (url) => {
		const at = Number(url.searchParams.get('cursor') ?? 0);
		const items = Array.from({ length: 1000 }, (_, index) => ({ ...writer, host: `n${at + index}` }));
		return Response.json(url.pathname.endsWith('/writers') ? { items, next_cursor: at < 3000 ? String(at + 1000) : null } : { items: [] });
	});
	const [about] = await compareReader({ entity: 'e', project: 'p' }).around(['big'], new Map());
	const counts = writersOf(about, 4000);
	assert.deepEqual(['writers', 'workers', 'hosts', 'lost', 'rows sent'].map((name) => counts.get(name)), [4000, '2,000, of the first 2,000 writers',
		'2,000, of the first 2,000 writers', '2,000, of the first 2,000 writers', '4,000, of the first 2,000 writers']);
	assert.deepEqual([undefined, null, 7].map((all) => writersOf(about, all).get('writers')), ['more than 2,000', 'more than 2,000', 'more than 2,000']);
	assert.equal(environmentOf({ ...about, config: {} }).get('Host'), 'n0, n1, n2 and 1,997 more, of the first 2,000 writers');
});

test('the address', () => {
	const view = readView(new URLSearchParams({ runs: 'a,b,a,,c', change: 'bad', pin: 'x\\,y,a%b,z', plot: 'scatter', slog: 'y' }));
	assert.deepEqual([view.runs, view.change, view.pins, view.plot, view.isOnly, view.scatter.isLogX, view.scatter.isLogY],
		[['a', 'b', 'c'], 'relative', ['x,y', 'a%b', 'z'], 'scatter', true, false, true]);
	const isOfAll = (query) => readView(new URLSearchParams(query)).isOfAll;
	assert.deepEqual([{ plot: 'box' }, { plot: 'parallel' }, { plot: 'parallel', all: 'on' }, { all: 'on' }].map(isOfAll), [true, false, true, false]);
	assert.deepEqual(readView(new URLSearchParams({ groups: 'config.a~text:b\\,c,state~text:d' })).groups, ['config.a~text:b,c', 'state~text:d']);
});

test('axes of a parallel plot are logarithmic where values span decades, unless they are chosen to be linear', () => {
	const chosen = (slog) => readView(new URLSearchParams({ slog })).scatter;
	const axes = [[1e-5, 1e-2, undefined], [1, 2], [0, 1e9], ['a', 1]];
	const logs = (slog) => axes.map((values) => isLogAxis(chosen(slog), values));
	assert.deepEqual([logs(''), logs('y'), logs('off')],
		[[true, false, false, false], [true, true, false, false], [false, false, false, false]]);
});

test('scales: numbers, powers, words, and what has no place', () => {
	const line = scaleOf([2, 4, 3, undefined]);
	assert.deepEqual([line.kind, line.at(2), line.at(3), line.at(4), line.at('x'), line.at(undefined)], ['number', 0, 0.5, 1, null, null]);
	assert.deepEqual(line.ticks.map(({ label }) => label), ['2.0', '2.5', '3.0', '3.5', '4.0']);
	const powers = scaleOf([0.001, 10, 0, -1], { isLog: true });
	assert.deepEqual([powers.at(0), powers.at(-1), powers.at(10), Math.round(powers.at(0.1) * 100)], [null, null, 1, 50]);
	assert.ok(powers.ticks.every(({ at }) => at >= 0 && at <= 1) && powers.ticks.length === 5);
	const words = scaleOf(['b', 'a', 'b', true]);
	assert.deepEqual([words.kind, words.at('a'), words.at('b'), words.at(true), words.at('c')], ['category', 0, 0.5, 1, null]);
	const mixed = scaleOf(['1', 1, true, 'true', 'a']);
	assert.deepEqual(mixed.ticks.map(({ at, label }) => [at, label]), [[0, '"1"'], [0.25, '"true"'], [0.5, '1'], [0.75, 'a'], [1, 'true']]);
	assert.deepEqual(['1', 1, true, 'true'].map(mixed.at), [0, 0.5, 1, 0.25]);
	assert.deepEqual([scaleOf([5, 5]).at(5), scaleOf([]).at(1), scaleOf([-1], { isLog: true }).at(-1)], [0.5, null, null]);
	assert.deepEqual(scaleOf([7]).ticks.map(({ label }) => label), ['7']);
});

test('parts of an image or a table are one value, after what runs are compared by', () => {
	const summary = { 'a.png._type': 'image-file', 'a.png.path': 'media/a.png', 'a.png.size': 3, 'a.png2': 1, 'hist._type': 'histogram', 'hist.bins': [0, 1],
		'hist.values': [4], loss: { min: 1 }, 'own._type': 'mine', 'own.x': 2 };
	const values = valuesOf(summary);
	assert.deepEqual([...values.keys()], ['a.png', 'a.png2', 'hist', 'loss.min', 'own._type', 'own.x']);
	assert.deepEqual(values.get('a.png'), { _type: 'image-file', path: 'media/a.png', size: 3 });
	assert.deepEqual(mediaLast(rowsOf([values])).map(({ key }) => key), ['a.png2', 'hist', 'loss.min', 'own._type', 'own.x', 'a.png']);
});
