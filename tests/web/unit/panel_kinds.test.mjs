/* The pure modules of panels that are no lines, and what they ask. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BOXES_MOST, boxOf, boxesOf } from '../../../web-static/js/chart/kinds/boxes.js';
import { barScale, barsOf } from '../../../web-static/js/chart/kinds/bars.js';
import { ROWS, endOf, histogramOf, peakOf, sheetOf, stripRows } from '../../../web-static/js/chart/kinds/histogram.js';
import { panelKeys } from '../../../web-static/js/chart/data/panel_keys.js';
import { listOf } from '../../../web-static/js/base/query_text.js';
import { makeShapes, makeWindow } from './browser.mjs';

makeWindow();
makeShapes();
const { boxReading } = await import('../../../web-static/js/chart/kinds/box_reading.js');
const { BoxPanel } = await import('../../../web-static/js/chart/kinds/box_panel.js');
const { boxStyles } = await import('../../../web-static/js/chart/kinds/box_styles.js');
const { boxPlot, hiddenOf } = await import('../../../web-static/js/chart/kinds/box_plot.js');
const { groupLine } = await import('../../../web-static/js/list/model/group_line.js');
const { filterOf, within } = await import('../../../web-static/js/chart/kinds/axis_filter.js');
const { asXml } = await import('../../../web-static/js/chart/panel/panel_file.js');
const { mixed } = await import('../../../web-static/js/base/palette.js');
const { tableOf } = await import('../../../web-static/js/chart/kinds/run_plot_export.js');
const { ValuePanel } = await import('../../../web-static/js/chart/kinds/value_panel.js');
const { groupMarks } = await import('../../../web-static/js/chart/data/group_values.js');
const { runValues } = await import('../../../web-static/js/chart/data/run_values.js');

const near = (a, b) => Math.abs(a - b) < 1e-9;
const kind = (key, ...kinds) => ({ key, kinds });

test('keys: a histogram is one panel, whatever it was sent as; what else ends so is a key like others', () => {
	const items = [
		kind('h._type', 'string'),
		kind('h.bins', 'array'),
		kind('h.values', 'array'),
		kind('loss', 'number'),
		kind('nan', 'nonfinite'),
		kind('p.packedBins.count', 'number'),
		kind('p.packedBins.min', 'number'),
		kind('p.packedBins.size', 'number'),
		kind('p.values', 'array'),
		kind('my.values', 'number'),
		kind('word', 'string'),
		{ key: 'any' },
	];
	assert.deepEqual(panelKeys(items), {
		keys: ['loss', 'nan', 'my.values', 'any', 'h', 'p'],
		kinds: { h: 'histogram', p: 'histogram' },
	});
});

test('what tells of an image or a table has no panel', () => {
	const kind = (key, ...kinds) => ({ key, kinds });
	const items = [kind('sample._type', 'string'), kind('sample.height', 'number'), kind('sample.size', 'number'), kind('a.table._type', 'string'),
		kind('a.table.nrows', 'number'), kind('a.loss', 'number'), kind('samples.height', 'number'), kind('h._type', 'string'),
		kind('h.bins', 'array'), kind('h.values', 'array')];
	assert.deepEqual(panelKeys(items), { keys: ['a.loss', 'samples.height', 'h'], kinds: { h: 'histogram' } });
});

test('a table has a panel by its own name', () => {
	const kind = (key, ...kinds) => ({ key, kinds });
	const table = ['_type', 'path', 'nrows', 'ncols', 'size', 'sha256'].map((part) => kind(`val/rows.${part}`, part.startsWith('n') ? 'number' : 'string'));
	const none = ['_type', 'nrows', 'ncols'].map((part) => kind(`other.${part}`, 'string'));
	assert.deepEqual(panelKeys([...table, ...none, kind('loss', 'number')]), { keys: ['loss', 'val/rows'], kinds: { 'val/rows': 'table' } });
	const joined = [kind('two._type', 'string'), kind('two.artifact_path', 'string')];
	assert.deepEqual(panelKeys(joined), { keys: ['two'], kinds: { two: 'table' } });
	assert.deepEqual(panelKeys([...joined, kind('two.path', 'string'), kind('two.sha256', 'string')]).kinds, { two: 'media' }, 'an image of an artifact');
});

test('bars: numbers alone, and how many have none', () => {
	const marks = [{ id: 'a', values: [2] }, { id: 'b', values: ['x'] }, { id: 'c', values: [undefined] }];
	const [{ bars, missing }] = barsOf(marks, ['f']);
	assert.deepEqual([bars.length, bars[0].value, missing], [1, 2, 2]);
});

test('bars: from zero both ways, from fixed ends, of logarithms, and of the greatest numbers', () => {
	const both = barScale([-1, 3]);
	assert.ok(near(both(-1).from, 0) && near(both(-1).to, 0.25) && near(both(3).to, 1));
	assert.deepEqual(barScale([5], { min: 4, max: 6 })(5), { from: 0, to: 0.5 });
	const log = barScale([1, 100], { isLog: true });
	assert.ok(near(log(100).to, 1) && log(1).to > 0 && log(0) === null && log(-1) === null);
	assert.ok([1e300, 1.7e308].every((most) => near(barScale([most, -most])(most).to, 1)));
	assert.deepEqual(barScale([0])(0), { from: 0, to: 0 });
	assert.equal(barScale([])(1), null);
});

test('boxes: quartiles, whiskers to the last value within reach, in order of what they are by', () => {
	const runs = (values, by) => values.map((value, at) => ({ id: `${by}${at}`, name: `${by}${at}`, value, by: [by] }));
	const { boxes, without, more } = boxesOf([...runs([1, 2, 3, 4, 100, 'x', null], 'b'), ...runs([7], 'a'), ...runs([5, 1], null)]);
	assert.deepEqual([boxes.map(({ by, n }) => [by[0], n]), without, more], [[['a', 1], ['b', 5], [null, 2]], 2, 0]);
	const { first, median, third, low, high, least, most, mean } = boxes[1];
	assert.deepEqual([first, median, third, low, high, least, most, mean], [2, 3, 4, 1, 4, 1, 100, 22]);
	assert.deepEqual([boxes[2].first, boxes[2].median, boxes[0].low], [2, 3, 7]);
	const many = boxesOf(Array.from({ length: 31 }, (_, at) => ({ id: `r${at}`, name: 'r', value: at, by: [at % 30] })));
	assert.deepEqual([many.boxes.length, many.more, many.boxes[0].by[0], many.boxes[1].by[0]], [BOXES_MOST, 6, 0, 1]);
	assert.deepEqual(boxesOf([]), { boxes: [], without: 0, more: 0 });
	assert.ok(Number.isFinite(boxOf([1.7e308, 1.7e308, -1.7e308]).mean));
});

test('boxes of copies beside each other: each has the most frequent of its own, and counts of its own', () => {
	const keys = ['config.opt', 'config.lr'];
	const run = (opt, lr, value) => ({ id: `${opt}${lr}${value}`, display_name: '', values: [value, opt, lr] });
	const items = [...Array.from({ length: 90 }, (_, at) => run('adam', at % 30, at)), run('adam', 0, null),
		...Array.from({ length: 8 }, (_, at) => run('sgd', at % 4, 1000 + at)), run('other', 0, 9000)];
	const groups = ['adam', 'sgd'].map((opt) => ({ name: `${opt}, 0`, of: { own: { 'config.opt': opt, 'config.lr': 0 } } }));
	const panelOf = (facet) => Object.assign(Object.create(BoxPanel.prototype), { spec: { facet }, page: { groups } });
	const found = ['adam', 'sgd', 'none'].map((opt) => panelOf({ keys: ['config.opt'], of: `["${opt}"]` })
		.found({ items, isCut: false }, { key: 'loss', by: keys }));
	assert.deepEqual(found.map(({ boxes, more, without, count }) => [boxes.length, more, without, count]),
		[[BOXES_MOST, 6, 1, 91], [4, 0, 0, 8], [0, 0, 0, 0]]);
	assert.deepEqual(found[1].boxes.map(({ by }) => by[1]), [0, 1, 2, 3]);
	assert.deepEqual(found[0].axis, found[1].axis, 'over one axis');
	assert.deepEqual([found[0].axis.length, Math.max(...found[0].axis.map(({ most }) => most))], [BOXES_MOST + 4, 1007],
		'which is of what is there');
	assert.equal(panelOf().found({ items, isCut: false }, { key: 'loss', by: keys }).more, 35 - BOXES_MOST);
});

test('boxes of copies beside each other are of one reading, which ends with the last who waits', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const asked = [];
	const ask = (address, { most, signal }) => new Promise((done) => asked.push({ address, most, signal, done }));
	const reading = boxReading({ ask });
	const told = [];
	const stops = ['a', 'a', 'b'].map((address, at) => reading.want(address, (answer) => told.push([at, answer])));
	stops[0]();
	t.mock.timers.tick(16);
	assert.deepEqual(asked.map(({ address, most }) => [address, most]), [['a', 10000], ['b', 10000]]);
	reading.want('a', (answer) => told.push(['later', answer]));
	t.mock.timers.tick(16);
	assert.equal(asked.length, 3, 'what is under way may not know what is asked for now');
	stops[2]();
	assert.deepEqual(asked.map(({ signal }) => signal.aborted), [false, true, false]);
	asked.forEach(({ done }, at) => done(at));
	await new Promise(setImmediate);
	assert.deepEqual(told, [[1, 0], ['later', 2]]);
	reading.want('c', () => {})();
	t.mock.timers.tick(16);
	assert.equal(asked.length, 3);
});

test('of readings at a time the longest is told, whichever ends last; the next ones are told anew', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	let now = 0;
	t.mock.method(performance, 'now', () => now);
	const asked = new Map();
	const reading = boxReading({ ask: (address) => new Promise((done) => asked.set(address, done)) });
	const ends = async (address, at) => {
		now = at;
		asked.get(address)({ status: 200 });
		await new Promise(setImmediate);
		return reading.took;
	};
	for (const [address, at] of [['long', 0], ['short', 900]]) {
		now = at;
		reading.want(address, () => {});
		t.mock.timers.tick(16);
	}
	assert.deepEqual([await ends('long', 1000), await ends('short', 1001)], [1000, 1000]);
	reading.want('next', () => {});
	t.mock.timers.tick(16);
	assert.equal(await ends('next', 1031), 30);
});

test('boxes have the names and colours of their groups, and without one those it would have', () => {
	const group = (value, more) => ({ group: `text:${value}`, kind: 'text', value, ...more });
	const node = (...within) => ({ within, depth: within.length - 1, key: within.at(-1).key, group: within.at(-1).group });
	const line = (...within) => groupLine(node(...within), '');
	const lr = (value) => ({ key: 'config.lr', group: { group: `number:${value}`, kind: 'number', value } });
	const groups = [line(lr(1024)), line(lr(0.123456)), { ...line(lr(7)), name: '7 (2)', color: '#123456' }];
	const told = boxStyles(['config.lr'], groups);
	assert.deepEqual([1024, 0.123456, 7].map((value) => told([value]).name), ['1024', '0.123456', '7 (2)']);
	assert.deepEqual([told([1024]).slot, told([7]).color], [groups[0].slot, '#123456']);
	assert.deepEqual([told(['']).name, told([null]).name, told([true]).name], ['(empty)', '(no value)', 'true']);
	assert.equal(boxStyles([], groups)([]).name, 'All runs');
	const opt = { key: 'config.opt', group: group('adam') };
	assert.equal(boxStyles(['config.opt'], groups)(['adam']).slot, line(opt).slot, 'the colour of a group that is hidden');
	assert.deepEqual(boxStyles(['config.lr', 'config.opt'], groups)([7, 'adam']),
		{ name: '7, adam', names: ['7', 'adam'], slot: line(lr(7), opt).slot, color: null });
	assert.deepEqual(told([7]).names, ['7 (2)']);
});

test('boxes on a logarithm: what has none is not drawn, and is counted', () => {
	const runs = (by, values) => values.map((value, at) => ({ id: `${by}${at}`, name: by, value, by: [by] }));
	const { boxes } = boxesOf([...runs('a', [-1, 0, 0.1, 5, 10]), ...runs('b', [-3, -2]), ...runs('c', [1, 100])]);
	const named = boxes.map((box) => ({ ...box, name: box.by[0], names: box.by, slot: 0, color: null }));
	const drawn = (isLog, width = 800) => boxPlot({ boxes: named, y: { name: 'k', isLog }, width, height: 400 });
	assert.equal(hiddenOf(named), 4);
	assert.deepEqual([drawn(true), drawn(false)].map((node) => [node.all('circle').length, node.all('rect').length]), [[5, 2], [9, 3]]);
	const heights = drawn(true).all('circle').map((node) => Number(node.at.cy));
	assert.deepEqual([Math.max(...heights), Math.min(...heights)], [365, 14], 'from the least that has one to the greatest');
	assert.ok(!JSON.stringify(drawn(true).at).includes('NaN'));
	const words = (width) => drawn(false, width).all('text').map((node) => node.said()).filter((said) => /^\d+( runs)?$|^[abc]$/.test(said));
	assert.deepEqual(words(800).slice(-6), ['a', '5 runs', 'b', '2 runs', 'c', '2 runs']);
	assert.deepEqual(words(140).slice(-6), ['a', '5', 'b', '2', 'c', '2'], 'as many words as there is place for');
});

test('histogram: edges as they are or as what they are made of; all else is none', () => {
	const row = { _step: 3, 'h.values': [1, 2], 'h.bins': [0, 1, 2] };
	assert.deepEqual(histogramOf(row, 'h'), { step: 3, counts: [1, 2], edges: [0, 1, 2] });
	const short = {
		_step: 3,
		'h.values': [1, 2],
		'h.packedBins.min': -1,
		'h.packedBins.size': 0.5,
		'h.packedBins.count': 2,
	};
	assert.deepEqual(histogramOf(short, 'h').edges, [-1, -0.5, 0]);
	for (const odd of [
		{},
		{ 'h.values': [1] },
		{ 'h.bins': [0, 2, 1] },
		{ 'h.bins': [0, 1] },
		{ 'h.values': [1, -2] },
		{ 'h.values': [1, 'NaN'] },
		{ 'h.values': new Array(5000).fill(1), 'h.bins': Array.from({ length: 5001 }, (_, i) => i) },
		{ 'h.bins': [0, 0, 1] },
	]) {
		assert.equal(
			Object.keys(odd).length && histogramOf({ ...row, ...odd }, 'h'),
			Object.keys(odd).length ? null : 0,
		);
	}
	assert.equal(histogramOf({ ...short, 'h.packedBins.count': 1e9 }, 'h'), null);
});

test('histogram: shares of the whole on edges that all have, parted where a bin is wider', () => {
	const sheet = sheetOf([
		{ step: 0, counts: [4], edges: [0, 48] },
		{ step: 10, counts: [1, 3], edges: [0, 1, 2] },
		{ step: 20, counts: [0], edges: [0, 1] },
	]);
	assert.deepEqual([sheet.low, sheet.high, sheet.steps.length, sheet.totals[0]], [0, 48, 3, 4]);
	assert.ok(sheet.columns[0].every((share) => near(share, 1 / ROWS)));
	assert.ok(near(sheet.columns[1][0], 0.25) && near(sheet.columns[1][1], 0.75) && near(sheet.most, 0.75));
	assert.ok(sheet.columns[2].every(Number.isNaN), 'nothing was counted');
	assert.deepEqual(peakOf(sheet, 1), { from: 1, to: 2, share: 0.75 });
	assert.equal(sheetOf([]), null);
	assert.equal(sheetOf([{ step: 0, counts: [1], edges: [-1.7e308, 1.7e308] }]), null);
});

test('histogram: a strip has the last histogram up to each place, the highest values on top', () => {
	const sheet = sheetOf([
		{ step: 0, counts: [1, 0], edges: [0, 1, 2] },
		{ step: 100, counts: [0, 1], edges: [0, 1, 2] },
	]);
	const rows = stripRows(sheet, 4);
	assert.equal(rows.length, ROWS);
	assert.deepEqual([...rows[ROWS - 1].cells].map((share) => share > 0), [true, false, false, false]);
	assert.deepEqual([...rows[0].cells].map((share) => share > 0), [false, true, true, true]);
	assert.deepEqual([endOf([0, 50, 100, 150]), endOf([7])], [200, 7], 'the last has its width, too');
	assert.equal(stripRows(sheetOf([{ step: 5, counts: [1], edges: [0, 1] }]), 1)[0].cells.length, 1);
});

test('values of runs: what is asked at once is one question, parted by its limits', async () => {
	const asked = [];
	const values = runValues('p', {
		ask: async (method, path) => {
			const query = new URLSearchParams(path.split('?')[1]);
			asked.push(query);
			const fields = listOf(query.get('keys'));
			return {
				status: 200,
				body: {
					items: query
						.get('ids')
						.split(',')
						.map((id) => ({ id, values: fields.map((field) => `${id} ${field}`) })),
				},
			};
		},
	});
	const runs = Array.from({ length: 250 }, (_, at) => `r${at}`);
	const want = (question) => new Promise((resolve) => { values.want(question, resolve); });
	values.want({ runs, fields: ['gone'] }, () => assert.fail('nobody waits'))();
	const [one, other] = await Promise.all([want({ runs, fields: ['a'] }), want({ runs, fields: ['b', 'odd,field'] })]);
	assert.equal(asked.length, 2);
	assert.deepEqual(asked.map((query) => query.get('keys')), ['a,b,odd\\,field', 'a,b,odd\\,field']);
	assert.equal(one.values.r249.a, 'r249 a');
	assert.equal(other.values.r0['odd,field'], 'r0 odd,field');
	const failed = runValues('p', { ask: async () => ({ status: 403 }) });
	assert.deepEqual(
		await new Promise((resolve) => {
			failed.want({ runs: ['a'], fields: ['a'] }, resolve);
		}),
		{ fault: { status: 403 } },
	);
});

test('values of groups: one question for those of one key, and marks of what they have on average', async () => {
	const asked = [];
	const numbers = [{ count: 2, min: 1, max: 3, mean: 2, std: 1.4 }, { count: 0 }];
	const values = runValues('p', {
		ask: async (method, path) => {
			asked.push(path);
			return { status: 200, body: { items: [{ group: 'text:a', numbers }] } };
		},
	});
	const of = (group) => ({ filter: 'x', by: 'config.k', group: `text:${group}`, own: { 'config.k': group } });
	const groups = [{ id: '~a', of: of('a') }, { id: '~b', of: of('b') }, { id: '~c' }];
	const fields = ['summary.s', 'summary.t'];
	const told = await new Promise((resolve) => { values.want({ runs: [], groups, fields }, resolve); });
	assert.deepEqual(asked, ['p/groups?filter=x&by=config.k&of=summary.s%2Csummary.t&limit=1000']);
	const marks = groupMarks(groups, [...fields, 'config.k'], told.numbers);
	assert.deepEqual(marks.map(({ id, values: shown }) => [id, ...shown]),
		[['~a', 2, undefined, 'a'], ['~b', undefined, undefined, 'b']]);
	assert.equal(marks[0].numbers[0].count, 2);
});

test('a filter of what lies on a part of an axis: numbers from the least to the greatest, words one of them', () => {
	assert.equal(filterOf('config.lr', [0.1, undefined, 0.3, 0.2]), 'config.lr>=0.1 config.lr<=0.3');
	assert.equal(filterOf('config.opt', ['adam', 'sgd', 'adam']), '(config.opt:adam or config.opt:sgd)');
	assert.equal(filterOf('config.opt', ['adam']), 'config.opt:adam');
	assert.equal(filterOf('config.opt', [undefined]), null);
	assert.deepEqual(within([1, 2, 3, undefined, 'NaN'], { low: 0.4, high: 1 }), [2, 3]);
	assert.deepEqual(within([1, 10, 100], { isLog: true, low: 0.4, high: 0.6 }), [10]);
	assert.deepEqual(within(['adam', 'sgd'], { low: 0.9, high: 1 }), ['sgd']);
});

test('runs by keys: a colour between two, and the values as CSV', () => {
	assert.equal(mixed('0 0 255', '255 0 0', 0.5), '#800080');
	const rows = [['one', 'r1', 0.5, null]];
	assert.equal(tableOf({ rows: { head: ['run', 'id', 'config.lr', 'config.opt'], rows } }), 'run,id,config.lr,config.opt\r\none,r1,0.5,\r\n');
});

function valuePanel(t) {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const asked = [];
	const givenUp = [];
	const panel = Object.create(ValuePanel.prototype, { keys: { value: ['a'] } });
	Object.assign(panel, { seen: true, changed() {}, want: () => (asked.push(1), () => givenUp.push(1)) });
	return { panel, asked, givenUp };
}

test('a panel of values: rows that come all the time do not give up what is asked for, and are asked for after it', (t) => {
	const { panel, asked, givenUp } = valuePanel(t);
	panel.ask();
	for (let at = 0; at < 10; at++) {
		panel.rowsCame();
		t.mock.timers.tick(1000);
	}
	assert.deepEqual([asked.length, givenUp.length], [1, 0]);
	panel.take(null, {}, { isOld: true });
	t.mock.timers.tick(5000);
	assert.equal(asked.length, 1, 'what is old is no answer');
	panel.take(null, {});
	t.mock.timers.tick(2000);
	assert.equal(asked.length, 2);
	panel.take(null, {});
	t.mock.timers.tick(60000);
	assert.equal(asked.length, 2);
});

test('a panel of values: what nobody answered is asked for again, what was refused is not', (t) => {
	const { panel, asked } = valuePanel(t);
	panel.ask();
	panel.take({ status: 0 });
	t.mock.timers.tick(5000);
	panel.take({ status: 403 });
	t.mock.timers.tick(60000);
	assert.equal(asked.length, 2);
});

test('pictures as text: what XML cannot say is not in it', () => {
	assert.equal(asXml('<text>a\u0001b\u{1F9EA}\t\n\uD800c\uFFFE</text>'), '<text>a�b\u{1F9EA}\t\n�c�</text>');
});
