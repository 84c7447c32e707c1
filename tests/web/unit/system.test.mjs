import assert from 'node:assert/strict';
import test from 'node:test';
import { rangeOf, shown, shownRange, unitLabels, unitTicks } from '../../../web-static/js/chart/units.js';
import { Feed } from '../../../web-static/js/system/feed.js';
import { metricsOf, readKey, sectionsOf } from '../../../web-static/js/system/metrics.js';
import { deviceMatcher, placeMatcher, rowName } from '../../../web-static/js/system/names.js';
import { edgeOf, extentOf, grow, lastOf, medianOf, middleOf, sheetOf, standing } from '../../../web-static/js/system/sheet.js';
import { standsOut } from '../../../web-static/js/system/stands_out.js';
import { systemLines } from '../../../web-static/js/system/system_lines.js';

const GIB = 2 ** 30;

test('keys are read as metrics: section, scope, device, unit', () => {
	const cases = [
		['system.gpu.3.gpu', 'gpu.gpu', 'gpu', 'host', '3', '%'], ['gpu.0.memoryAllocatedBytes', 'gpu.memoryAllocatedBytes', 'gpu', 'host', '0', 'bytes'],
		['gpu.12.powerWatts', 'gpu.powerWatts', 'gpu', 'host', '12', 'W'], ['gpu.0.temp', 'gpu.temp', 'gpu', 'host', '0', '°C'],
		['gpu.0.smClock', 'gpu.smClock', 'gpu', 'host', '0', 'MHz'], ['gpu.0.powerPercent', 'gpu.powerPercent', 'gpu', 'host', '0', '%'],
		['gpu.0.nvlinkTxBytes', 'gpu.nvlinkTxBytes', 'gpu', 'host', '0', 'bytes/s'], ['gpu.0.smOccupancy', 'gpu.smOccupancy', 'gpu', 'host', '0', '%'],
		['gpu.0.unCorrectedMemoryErrors', 'gpu.uncorrectedMemoryErrors', 'gpu', 'host', '0', 'count'],
		['gpu.0.memory_allocated', 'gpu.memoryAllocated', 'gpu', 'host', '0', '%'],
		['gpu.process.2.memoryUsedBytes', 'gpu.process.memoryUsedBytes', 'gpuProcess', 'process', '2', 'bytes'],
		['cpu', 'cpu', 'process', 'process', '', '%'], ['system.cpu.7.cpu_percent', 'cpu.cpu_percent', 'cpu', 'host', '7', '%'],
		['proc.memory.rssMB', 'proc.memory.rssMB', 'process', 'process', '', 'bytes'], ['proc.memory.availableMB', 'proc.memory.availableMB', 'memory', 'host', '', 'bytes'],
		['memory_percent', 'memory_percent', 'memory', 'host', '', '%'], ['disk./data/my.disk.usageGB', 'disk.device.usageGB', 'disk', 'host', '/data/my.disk', 'bytes'],
		['system.disk.\\.usagePercent', 'disk.device.usagePercent', 'disk', 'host', '/', '%'], ['disk.in', 'disk.in', 'disk', 'host', '', 'bytes/s'],
		['disk.vda.out', 'disk.device.out', 'disk', 'host', 'vda', 'bytes/s'], ['network.recv', 'network.recv', 'network', 'host', '', 'bytes/s'],
		['tpu.1.dutyCycle', 'tpu.dutyCycle', 'tpu', 'host', '1', '%'], ['trn.host_memory_usage.tensors', 'trn.host_memory_usage.tensors', 'trn', 'process', '', 'bytes'],
		['ipu.4.average board temp (C)', 'ipu.average board temp (C)', 'ipu', 'host', '4', '°C'],
		['openmetrics.node.<b>x</b>.0', 'openmetrics.node.<b>x</b>.0', 'other', 'process', '', ''], ['__proto__', '__proto__', 'other', 'process', '', ''],
	];
	for (const [key, id, section, scope, device, unit] of cases) {
		const found = readKey(key);
		assert.deepEqual([found.id, found.section, found.scope, found.device, found.unit], [id, section, scope, device, unit], key);
	}
	assert.equal(readKey('network.sent').isRate, true);
	assert.equal(readKey('disk.in').times, 2 ** 20);
});

test('one metric has a key for each device, in the order in which they are shown', () => {
	const metrics = metricsOf(['other', 'gpu.10.gpu', 'cpu', 'gpu.2.gpu', 'gpu.0.temp', 'network.sent']);
	assert.deepEqual(metrics.map(({ id }) => id), ['gpu.gpu', 'gpu.temp', 'cpu', 'network.sent', 'other']);
	assert.deepEqual(metrics[0].keys, [{ key: 'gpu.2.gpu', device: '2' }, { key: 'gpu.10.gpu', device: '10' }]);
	assert.deepEqual(sectionsOf(metrics).map(({ section }) => section), ['gpu', 'process', 'network', 'other']);
	assert.deepEqual(metricsOf([]), []);
});

test('values have their units, and axes that fit them', () => {
	assert.equal(shown(93.14159, '%'), '93.1 %');
	assert.equal(shown(1.5 * GIB, 'bytes'), '1.5 GiB');
	assert.equal(shown(0, 'bytes/s'), '0 B/s');
	assert.equal(shown(1980, 'MHz'), '1,980 MHz');
	assert.equal(shown(7, 'count'), '7');
	assert.equal(shownRange(600 * 2 ** 20, 1.5 * GIB, 'bytes'), '0.586–1.5 GiB');
	assert.equal(shownRange(5, 5, 'W'), '5 W');
	assert.deepEqual(rangeOf('%', 40, 60), [0, 100]);
	assert.deepEqual(rangeOf('%', 40, 130), [0, 130]);
	assert.deepEqual(rangeOf('W', 475, 664), [450, 700]);
	assert.deepEqual(rangeOf('°C', 61, 61), [60, 62]);
	assert.deepEqual(rangeOf('bytes', 0, 0), [0, 1]);
	assert.deepEqual(rangeOf('bytes', Infinity, -Infinity), [0, 1]);
	assert.deepEqual(unitTicks('bytes', 0, 3 * GIB, 3).map((mark) => mark / GIB), [0, 1, 2, 3]);
	assert.deepEqual(unitLabels('bytes', [0, GIB, 2 * GIB]), ['0 GiB', '1 GiB', '2 GiB']);
	assert.deepEqual(unitLabels('%', [0, 50]), ['0%', '50%']);
});

const metric = { id: 'gpu.gpu', unit: '%', times: 1, keys: [{ key: 'gpu.0.gpu', device: '0' }, { key: 'gpu.1.gpu', device: '1' }] };

function columns(values, { from = 0, width = 10 } = {}) {
	const at = values.map((_, i) => i).filter((i) => values[i] !== null);
	const list = at.map((i) => values[i]);
	return {
		at, x_first: at.map((i) => from + i * width), mean: list, min: list, max: list, n: list.map((value) => Number.isNaN(value) ? 0 : 1),
		nan: list.map((value) => Number.isNaN(value) ? 2 : 0), pinf: list.map(() => 0), ninf: list.map(() => 0),
	};
}

const answer = (series, { from = 0, to = 100, buckets = 10 } = {}) => ({ panel: { x: '_timestamp', from, to, buckets }, series });
const numbers = (column, count) => [...column.slice(0, count)].map((value) => Number.isNaN(value) ? null : value);

test('rows of hosts and of labels, each once, in their order', () => {
	const sheet = sheetOf(answer([
		{ key: 'gpu.1.gpu', host: 'n10', columns: columns([1, 2]) }, { key: 'gpu.0.gpu', host: 'n2', columns: columns([3, NaN]) },
		{ key: 'gpu.0.gpu', label: 'alone', columns: columns([null, 4]) }, { key: 'gpu.0.gpu', label: 'alone', columns: columns([9, 9]) }]), metric, new Map());
	assert.deepEqual(sheet.rows.map(({ place, device }) => [place, device]), [['alone', '0'], ['n2', '0'], ['n10', '1']]);
	assert.deepEqual(numbers(sheet.rows[0].cells, 3), [9, 4, null]);
	assert.deepEqual(sheet.rows[1].odd.get(1), { nan: 2, pinf: 0, ninf: 0 });
	assert.equal(lastOf(sheet.rows[1]), 3);
	assert.deepEqual(extentOf(sheet.rows, 0, 9), [1, 9]);
	assert.equal(sheetOf(answer([], { from: null, to: null }), metric, new Map()).rows.length, 0);
});

test('rows that came since are put in place, and a sheet that is too short is asked for anew', () => {
	const hosts = new Map();
	const sheet = sheetOf(answer([{ key: 'gpu.0.gpu', host: 'a', columns: columns([1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) }]), metric, hosts);
	const edge = edgeOf(sheet, { buckets: 2, seconds: 0 });
	assert.equal(edge, 7);
	const since = { ...columns([5, 7, 9]), x_first: [100, 104, 118] };
	assert.equal(grow(sheet, answer([{ key: 'gpu.0.gpu', host: 'a', columns: since }]), edge, hosts), true);
	assert.deepEqual(numbers(sheet.rows[0].cells, 13), [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6, 9, null]);
	assert.equal(sheet.grid.count, 12);
	assert.equal(grow(sheet, answer([{ key: 'gpu.0.gpu', host: 'a', columns: { ...since, x_first: [100, 104, 900] } }]), edge, hosts), false);
	assert.equal(grow(sheet, answer([{ key: 'gpu.0.gpu', host: 'new', columns: since }]), edge, hosts), false);
	const point = sheetOf(answer([{ key: 'gpu.0.gpu', host: 'a', columns: columns([1]) }], { from: 5, to: 5 }), metric, hosts);
	assert.equal(grow(point, answer([]), 0, hosts), false, 'one place has no buckets');
	const rate = sheetOf(answer([{ key: 'gpu.0.gpu', host: 'a', columns: columns([1, 1, 1]) }]), { ...metric, isRate: true }, hosts);
	assert.equal(grow(rate, answer([{ key: 'gpu.0.gpu', host: 'a', columns: { ...columns([50, 60]), x_first: [20, 30] } }]), 2, hosts), true);
	assert.deepEqual(numbers(rate.rows[0].cells, 4), [1, 1, 1, 60], 'the first of an answer knows nothing of what was before it');
});

test('a value stands until the next one, and silence is silence', () => {
	const made = (values) => ({ cells: Float64Array.from(values), low: Float64Array.from(values), high: Float64Array.from(values), x: Float64Array.from(values) });
	const row = made([NaN, 1, NaN, NaN, 2, NaN, NaN, 3, NaN, NaN, NaN, NaN, NaN, NaN, NaN]);
	assert.deepEqual(numbers(standing(row, 15).cells), [null, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, null, null]);
	assert.deepEqual(numbers(standing(made([NaN, 5, NaN, NaN]), 4).cells), [null, 5, 5, null]);
	assert.deepEqual(numbers(standing(made([NaN, NaN]), 2).cells), [null, null]);
});

test('the median of rows, the least and the greatest', () => {
	for (let count = 1; count < 40; count++) {
		const values = Float64Array.from({ length: count }, (_, i) => (i * 7919) % 13);
		const sorted = [...values].sort((a, b) => a - b);
		assert.equal(medianOf(values), (sorted[count >> 1] + sorted[(count - 1) >> 1]) / 2);
	}
	assert.ok(Number.isNaN(medianOf([])));
	const row = (cells) => ({ cells: Float64Array.from(cells), low: Float64Array.from(cells), high: Float64Array.from(cells) });
	const middle = middleOf([row([1, NaN]), row([5, NaN]), row([3, 4])], 2);
	assert.deepEqual([[...middle.cells], [...middle.low], [...middle.high]], [[3, 4], [1, 4], [5, 4]]);
});

test('4,096 rows of 400 columns are no burden', () => {
	const cells = Float64Array.from({ length: 400 }, (_, at) => at % 97);
	const rows = Array.from({ length: 4096 }, () => ({ cells, low: cells, high: cells }));
	assert.equal(middleOf(rows.map((row) => standing(row, 400)), 400).cells[96], 96);
});

/* ids of rows 0 to 9, each as `values` says. */
function fleet(id, unit, values) {
	const rows = Array.from({ length: 10 }, (_, device) => {
		const cells = Float64Array.from({ length: 20 }, (_unused, at) => values(device, at));
		return { id: String(device), place: 'n', device: String(device), cells, low: cells, high: cells, odd: new Map(), last: 19 };
	});
	return { metric: { id, unit }, grid: { from: 100, width: 10, count: 20 }, x: '_timestamp', rows };
}

test('a few rows have lines, of more the median and who is odd', () => {
	const names = (row) => `GPU ${row.device}`;
	const how = { color: { slot: 2 }, names, middleName: (count) => `median of ${count}` };
	const sheet = fleet('gpu.temp', '°C', (device, at) => device === 4 && at > 9 ? 83 : 60 + device / 10);
	const lines = systemLines(sheet, sheet.rows, { ...how, stood: sheet.rows });
	assert.deepEqual(lines.map(({ name }) => name), ['median of 10', 'GPU 4']);
	assert.deepEqual([lines[0].max[19], lines[1].mean[19], lines[0].slot], [83, 83, 2]);
	assert.deepEqual(systemLines(sheet, sheet.rows.slice(0, 3), how).map(({ name }) => name), ['GPU 0', 'GPU 1', 'GPU 2']);
	assert.deepEqual(systemLines(sheet, [], how), []);
});

test('idle, throttled and hot GPUs are told, with since when', () => {
	const sheets = new Map([
		fleet('gpu.gpu', '%', (device, at) => device === 3 && at >= 8 ? 0 : 90), fleet('gpu.temp', '°C', (device, at) => device === 5 && at >= 12 ? 84 : 60 + device / 10),
		fleet('gpu.smClock', 'MHz', (device, at) => device === 5 && at >= 12 ? 1125 : device === 3 ? 300 : 1980),
	].map((sheet) => [sheet.metric.id, sheet]));
	const told = standsOut(sheets).map(({ kind, rows, others }) => [kind, rows.map(({ row, since }) => [row.id, since]), Math.round(others)]);
	assert.deepEqual(told, [['idle', [['3', 180]], 90], ['throttled', [['5', 220]], 1980], ['hot', [['5', 220]], 61]], 'a clock that is low for want of work is no throttling');
	assert.deepEqual(standsOut(new Map()), []);
	assert.deepEqual(standsOut(new Map([['gpu.gpu', fleet('gpu.gpu', '%', () => 0)]])), [], 'a run that rests has no idle GPU');
	assert.deepEqual(standsOut(new Map([['gpu.gpu', fleet('gpu.gpu', '%', () => NaN)], ['gpu.temp', fleet('gpu.temp', '°C', () => NaN)]])), []);
});

test('labels, hosts and devices are chosen by what is typed', () => {
	assert.ok(placeMatcher('rank1*, node3')('rank12', 'node9') && placeMatcher('rank1*,node3')('x', 'node3') && placeMatcher('')('x'));
	assert.ok(!placeMatcher('rank1*')('rank2', '') && !placeMatcher('.*')('rank2'));
	const chosen = deviceMatcher('0-2, 7,vda');
	assert.deepEqual(['0', '2', '3', '7', '17', 'vda', ''].filter(chosen), ['0', '2', '7', 'vda', '']);
	const rows = [{ place: 'a', device: '0' }, { place: 'b', device: '0' }];
	assert.equal(rowName(rows[0], rows, 'gpu'), 'a GPU 0');
	assert.equal(rowName(rows[0], [rows[0]], 'gpu'), 'GPU 0');
	assert.equal(rowName({ place: 'a', device: '' }, [{ place: 'a', device: '' }], 'process'), 'a');
	assert.equal(rowName({ place: 'a', device: 'vda' }, [{ place: 'a', device: 'vda' }], 'disk'), 'vda');
});

function feedOf() {
	const wants = [];
	const page = {
		run: 'r', x: '_timestamp', zoom: null, width: 64, senders: [{}], hosts: new Map(), told: () => {},
		cache: { want: (question, listener) => {
			const want = { question, listener, isGone: false };
			wants.push(want);
			return () => { want.isGone = true; };
		} },
	};
	return { wants, page, feed: new Feed(page, { ...metric, scope: 'host' }) };
}

test('a feed asks once for all who listen, and never gives up a question for rows that came meanwhile', () => {
	const { wants, page, feed } = feedOf();
	let told = 0;
	const stops = [1, 2].map(() => feed.listen(() => told++));
	assert.deepEqual(wants.map(({ question: { panel } }) => [panel.split, panel.buckets, panel.rate, panel.keys.length]), [['host', 64, undefined, 2]]);
	feed.rowsCame();
	feed.rowsCame();
	assert.ok(wants.length === 1 && !wants[0].isGone && !feed.timer, 'the answer is waited for');
	wants[0].listener({ answer: { ...answer([{ key: 'gpu.0.gpu', host: 'a', columns: columns([1, 2, 3]) }]), faults: [] } });
	assert.equal(told, 2);
	assert.ok(feed.timer, 'what came meanwhile is asked for next');
	feed.askSince();
	assert.equal(wants[1].question.panel.from, 0);
	page.senders = Array.from({ length: 4096 * 400 }, () => ({}));
	assert.equal(feed.question().panel.buckets, 16, 'not fewer than one can read');
	page.senders = Array.from({ length: 4096 }, () => ({}));
	assert.deepEqual([feed.question().panel.buckets, feed.question().panel.columns], [64, ['x_first', 'mean']]);
	stops.forEach((stop) => stop());
	assert.ok(wants[1].isGone && !feed.timer);
	wants[1].listener({ fault: { status: 500 } });
	feed.rowsCame();
	assert.equal(feed.timer, 0, 'who is not seen asks for nothing');
});

test('rows that could not be read are asked for again after a while, though no more come', (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { wants, feed } = feedOf();
	const good = { answer: { ...answer([{ key: 'gpu.0.gpu', host: 'a', columns: columns([1, 2, 3]) }]), faults: [] } };
	const stop = feed.listen(() => {});
	wants[0].listener(good);
	feed.rowsCame();
	for (const [at, bad] of [{ fault: { status: 0 } }, { answer: { ...good.answer, faults: [{ status: 500 }] } }].entries()) {
		t.mock.timers.tick(6000);
		assert.equal(wants.length, at + 2);
		wants.at(-1).listener(bad);
		t.mock.timers.tick(3000);
		assert.equal(wants.length, at + 2, 'not at once');
	}
	t.mock.timers.tick(3000);
	wants.at(-1).listener(good);
	t.mock.timers.tick(60000);
	assert.equal(wants.length, 4);
	stop();
});
