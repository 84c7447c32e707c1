import assert from 'node:assert/strict';
import test from 'node:test';
import { bridged } from '../../../web-static/js/chart/data/buckets.js';
import { unitLabels, unitTicks } from '../../../web-static/js/chart/line/units.js';
import { rangeOf, shown, shownRange } from '../../../web-static/js/chart/line/unit_words.js';
import { Feed, meanApart } from '../../../web-static/js/system/feed.js';
import { findingText } from '../../../web-static/js/system/findings.js';
import { metricsOf, readKey, sectionsOf } from '../../../web-static/js/system/metrics.js';
import { oddRows } from '../../../web-static/js/system/odd_rows.js';
import { deviceFault, deviceMatcher, placeFault, placeMatcher, rowName } from '../../../web-static/js/system/names.js';
import { medianOf } from '../../../web-static/js/base/median.js';
import { edgeOf, extentOf, extentSeen, grow, lastOf, sheetInPieces, sheetOf } from '../../../web-static/js/system/sheet.js';
import { standsOut } from '../../../web-static/js/system/stands_out.js';
import { Statistics } from '../../../web-static/js/system/statistics.js';
import { stepNote } from '../../../web-static/js/system/step_note.js';
import { reportersAtOnce } from '../../../web-static/js/system/reporters.js';
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
		['hpu.7.utilization', 'hpu.utilization', 'hpu', 'host', '7', '%'], ['hpu.0.memoryAllocatedBytes', 'hpu.memoryAllocatedBytes', 'hpu', 'host', '0', 'bytes'],
		['hpu.0.powerWatts', 'hpu.powerWatts', 'hpu', 'host', '0', 'W'], ['gpu.0.memoryTemp', 'gpu.memoryTemp', 'gpu', 'host', '0', '°C'],
		['system.cpu.avg_temp', 'cpu.avg_temp', 'cpu', 'host', '', '°C'], ['cpu.ecpu_freq', 'cpu.ecpu_freq', 'cpu', 'host', '', 'MHz'],
		['cpu.pcpu_percent', 'cpu.pcpu_percent', 'cpu', 'host', '', '%'], ['ane.power', 'ane.power', 'cpu', 'host', '', 'W'],
		['system.powerWatts', 'system.powerWatts', 'cpu', 'host', '', 'W'], ['gpu.0.freq', 'gpu.freq', 'gpu', 'host', '0', 'MHz'],
		['memory.used', 'memory.used', 'memory', 'host', '', 'bytes'], ['swap.used_percent', 'swap.used_percent', 'memory', 'host', '', '%'],
		['ipu.4.average board temp (C)', 'ipu.average board temp (C)', 'ipu', 'host', '4', '°C'],
		['infiniband.mlx5_0.1.recv', 'infiniband.recv', 'network', 'host', 'mlx5_0.1', 'bytes/s'], ['nfs.written', 'nfs.written', 'disk', 'host', '', 'bytes/s'],
		['pressure.io.full', 'pressure.io.full', 'pressure', 'host', '', '%'], ['memory.oomKills', 'memory.oomKills', 'memory', 'process', '', 'count'],
		['memory.hugePagesMB', 'memory.hugePagesMB', 'memory', 'host', '', 'bytes'], ['cpu.temp', 'cpu.temp', 'cpu', 'host', '', '°C'],
		['cgroup.cpu.throttledPercent', 'cgroup.cpu.throttledPercent', 'process', 'process', '', '%'],
		['proc.fileDescriptors', 'proc.fileDescriptors', 'process', 'process', '', 'count'],
		['gpu.0.memoryReadWriteActivity', 'gpu.memoryReadWriteActivity', 'gpu', 'host', '0', '%'],
		['gpu.0.mig.2.memoryAllocated', 'gpu.mig.memoryAllocated', 'gpu', 'host', '0:2', '%'],
		['gpu.1.mig.0.gpu', 'gpu.mig.gpu', 'gpu', 'host', '1:0', '%'],
		['gpu.process.0.mig.2.memoryUsedBytes', 'gpu.process.mig.memoryUsedBytes', 'gpuProcess', 'process', '0:2', 'bytes'],
		['gpu.3.nvlink.17.txBytes', 'gpu.nvlink.txBytes', 'gpu', 'host', '3:17', 'bytes/s'],
		['gpu.0.nvlinkTxBytes', 'gpu.nvlinkTxBytes', 'gpu', 'host', '0', 'bytes/s'],
		['gpu.0.throttle.hwThermal', 'gpu.throttle.hwThermal', 'gpu', 'host', '0', '%'],
		['gpu.0.energyJoules', 'gpu.energyJoules', 'gpu', 'host', '0', 'W'],
		['gpu.0.nvlinkErrors', 'gpu.nvlinkErrors', 'gpu', 'host', '0', 'count'],
		['tpu.3.memoryUsageBytes', 'tpu.hbmCapacityUsage', 'tpu', 'host', '3', 'bytes'],
		['tpu.hloExecTiming.0-tensor.p50Us', 'tpu.hloExecTiming.0-tensor.p50Us', 'tpu', 'process', '', 'µs'],
		['ipu.0.ipu utilisation (session) (%)', 'ipu.ipu utilisation (session) (%)', 'ipu', 'host', '0', '%'],
		['openmetrics.node.<b>x</b>.0', 'openmetrics.node.<b>x</b>', 'openmetrics', 'host', '0', ''],
		['openmetrics.node.node_network_receive_bytes_total.12', 'openmetrics.node.node_network_receive_bytes_total', 'openmetrics', 'host', '12', 'bytes/s'],
		['openmetrics.node.node_cpu_seconds_total.3', 'openmetrics.node.node_cpu_seconds_total', 'openmetrics', 'host', '3', '%'],
		['openmetrics.dcgm.DCGM_FI_DEV_GPU_TEMP.0', 'openmetrics.dcgm.DCGM_FI_DEV_GPU_TEMP', 'openmetrics', 'host', '0', ''],
		['openmetrics.x', 'openmetrics.x', 'other', 'process', '', ''],
		['__proto__', '__proto__', 'other', 'process', '', ''],
	];
	for (const [key, id, section, scope, device, unit] of cases) {
		const found = readKey(key);
		assert.deepEqual([found.id, found.section, found.scope, found.device, found.unit], [id, section, scope, device, unit], key);
	}
	assert.equal(readKey('network.sent').isRate, true);
	assert.equal(readKey('disk.in').times, 2 ** 20);
	assert.equal(readKey('gpu.0.energyJoules').isRate, true);
	assert.equal(readKey('gpu.0.throttle.hwThermal').times, 100);
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
	assert.deepEqual(rangeOf('%', 40, 60), [40, 60]);
	assert.deepEqual(rangeOf('%', 77.6, 79.7), [74, 82], 'noise does not fill it');
	assert.deepEqual(rangeOf('%', 0, 3), [0, 3]);
	assert.deepEqual(rangeOf('%', 96, 99.9), [90, 100], 'no more than all there is');
	assert.deepEqual(rangeOf('%', 0, 0), [0, 1]);
	assert.deepEqual(rangeOf('%', 40, 130), [0, 150]);
	assert.deepEqual(rangeOf('bytes', 500 * 2 ** 20, 520 * 2 ** 20), [480 * 2 ** 20, 540 * 2 ** 20]);
	assert.equal(rangeOf('bytes/s', 5e6, 6e6)[0], 0, 'rates begin at zero');
	assert.deepEqual(rangeOf('W', 475, 664), [450, 700]);
	assert.deepEqual(rangeOf('°C', 61, 61), [58, 66]);
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
/* All that is said of rows which are there at once. */
function reckoned(sheet, rows = sheet.rows) {
	const made = new Statistics({ edges: [], size: sheet.grid.count, ...sheet }, rows);
	assert.equal(made.reckon(), true);
	return made;
}

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
	const standing = (row, count) => reckoned({ grid: { count }, metric: {} }, [{ ...row, odd: new Map() }]).stood[0];
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
	const row = (cells) => ({ ...columnsOf(cells.map((value) => [value, value, value])), odd: new Map() });
	const { middle } = reckoned({ grid: { count: 2 }, metric: {} }, [row([NaN, 1]), row([NaN, 5]), row([4, 3])]);
	assert.deepEqual([[...middle.cells], [...middle.low], [...middle.high]], [[4, 3], [4, 1], [4, 5]]);
});

test('4,096 rows of 400 columns are no burden', () => {
	const cells = Float64Array.from({ length: 400 }, (_, at) => at % 97);
	const rows = Array.from({ length: 4096 }, () => ({ cells, low: cells, high: cells, odd: new Map() }));
	assert.equal(reckoned({ grid: { count: 400 }, metric: {} }, rows).middle.cells[96], 96);
});

/* A column of [mean, least, greatest] as a row keeps it. */
function columnsOf(list) {
	const [cells, low, high] = [0, 1, 2].map((at) => Float64Array.from(list, (one) => one[at]));
	return { cells, low, high, x: cells };
}

/* ---- the statistics, plainly: all rows, all columns, each time ---- */

const sortedMedian = (values) => {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted.length ? (sorted[sorted.length >> 1] + sorted[(sorted.length - 1) >> 1]) / 2 : NaN;
};

function plainlyStanding(row, count) {
	const filled = [...row.cells.slice(0, count).keys()].filter((at) => !Number.isNaN(row.cells[at]));
	const reach = 2 * (sortedMedian(filled.slice(1).map((at, nth) => at - filled[nth])) || 1);
	return Object.fromEntries(['cells', 'low', 'high'].map((name) => [name, Array.from({ length: count }, (_, at) => {
		const last = filled.findLast((one) => one <= at);
		return last !== undefined && at - last < reach ? row[name][last] : NaN;
	})]));
}

function plainly(rows, { count }) {
	const stood = rows.map((row) => plainlyStanding(row, count));
	const of = (name, at) => stood.map((row) => row[name][at]).filter((value) => !Number.isNaN(value));
	const column = (make) => Array.from({ length: count }, (_, at) => of('cells', at).length ? make(at) : NaN);
	return { stood, middle: { cells: column((at) => sortedMedian(of('cells', at))), low: column((at) => Math.min(...of('low', at))),
		high: column((at) => Math.max(...of('high', at))) } };
}

/* Numbers that look random and are the same each time. */
function chance(seed) {
	let state = seed;
	return (below) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor(state / 2 ** 32 * below);
	};
}

const pieceOf = (label, at, next, { isLean, oddAt = -1 }) => {
	const mean = at.map(() => next(50) - 10);
	const odd = at.map((one) => one === oddAt ? 1 : 0);
	const more = isLean ? {} : { min: mean.map((value) => value - next(5)), max: mean.map((value) => value + next(5)), n: at.map(() => 1), nan: odd };
	return { key: 'gpu.0.gpu', label, columns: { at, x_first: at.map((one) => one * 10 + next(10)), mean, ...more } };
};

function assertPlainly(made, sheet) {
	const { count } = sheet.grid;
	const wanted = plainly(sheet.rows, sheet.grid);
	for (const [at, row] of made.stood.entries()) {
		for (const name of ['cells', 'low', 'high']) assert.deepEqual([...row[name].slice(0, count)], wanted.stood[at][name], `${row.row.id} ${name}`);
	}
	for (const name of ['cells', 'low', 'high']) assert.deepEqual([...made.middle[name].slice(0, count)], wanted.middle[name], name);
	assert.deepEqual(made.odd, oddRows(sheet.rows, sheet.grid, '%'));
	assert.deepEqual(made.extent(), extentOf(sheet.rows, 0, count - 1));
	assert.deepEqual([...made.marks.keys()].sort(), [...new Set(sheet.rows.flatMap((row) => [...row.odd.keys()]))].sort());
}

test('what is kept of rows and goes on is what all of them give anew, in whatever pieces', () => {
	for (let seed = 1; seed <= 60; seed++) {
		const next = chance(seed);
		const isLean = seed % 2 === 0;
		const places = (from, to, one) => Array.from({ length: to - from }, (_, at) => from + at).filter(() => next(one) === 0);
		const labels = Array.from({ length: 1 + next(20) }, (_, at) => `rank${at}`);
		const gaps = labels.map(() => 1 + next(4));
		const first = labels.map((label, at) => pieceOf(label, [...places(0, 35, gaps[at]), 35], next, { isLean, oddAt: 35 }));
		const sheet = sheetOf(answer(first, { to: 400, buckets: 40 }), metric, new Map());
		const made = new Statistics(sheet, sheet.rows);
		for (let turn = 0; turn < 4; turn++) {
			if (next(2)) made.pieces = null, made.reckon(-1); /* one piece, and then more comes */
			const edge = edgeOf(sheet, { buckets: 3, seconds: 0 });
			const since = labels.filter(() => next(4)).map((label) => pieceOf(label, places(edge, edge + 8, 2), next, { isLean }))
				.filter(({ columns: { at } }) => at.length);
			assert.equal(grow(sheet, answer(since), edge, new Map()), true);
			if (next(3)) assert.equal(made.reckon(), true);
		}
		assert.equal(made.reckon(), true);
		assert.ok(made.isDone(sheet) && made.isOf(sheet, [...sheet.rows]) && !made.isOf(sheet, sheet.rows.slice(1)));
		assertPlainly(made, sheet);
	}
});

test('a sheet of many series is made in pieces, and is the same', () => {
	const series = Array.from({ length: 200 }, (_, at) => ({ key: 'gpu.0.gpu', host: `n${(at * 37) % 200}`, columns: columns([at, at + 1]) }));
	const pieces = sheetInPieces(answer(series), metric, new Map());
	let steps = 0;
	let step = pieces.next();
	for (; !step.done; step = pieces.next()) steps++;
	assert.ok(steps >= 3);
	assert.deepEqual(step.value.rows.map(({ place }) => place), Array.from({ length: 200 }, (_, at) => `n${at}`));
	assert.deepEqual(step.value, sheetOf(answer(series), metric, new Map()));
	const same = sheetOf(answer([{ ...series[0], host: 'n07' }, { ...series[1], host: 'n7', key: 'gpu.1.gpu' }, { ...series[2], host: 'n7' }]), metric, new Map());
	assert.equal(same.rows.at(-1).device, '1', 'what is read as the same name is in the order of the devices');
});

/* ids of rows 0 to 9, each as `values` says. */
function fleet(id, unit, values) {
	const rows = Array.from({ length: 10 }, (_, device) => {
		const cells = Float64Array.from({ length: 20 }, (_unused, at) => values(device, at));
		return { id: String(device), place: 'n', device: String(device), cells, low: cells, high: cells, odd: new Map(), last: 19 };
	});
	return { metric: { id, unit, section: id.split('.')[0] }, grid: { from: 100, width: 10, count: 20 }, x: '_timestamp', rows };
}

test('a few rows have lines, of more the median and who is odd', () => {
	const names = (row) => `GPU ${row.device}`;
	const how = { color: { slot: 2 }, slotOf: () => 5, reportersOf: () => 1, names, middleName: (count) => `median of ${count}` };
	const sheet = fleet('gpu.temp', '°C', (device, at) => device === 4 && at > 9 ? 83 : 60 + device / 10);
	const lines = systemLines(sheet, sheet.rows, { ...how, reckoned: reckoned(sheet) });
	assert.deepEqual(lines.map(({ name }) => name), ['median of 10', 'GPU 4']);
	assert.deepEqual([lines[0].max[19], lines[1].mean[19], lines[0].slot], [83, 83, 2]);
	assert.deepEqual(systemLines(sheet, sheet.rows.slice(0, 3), how).map(({ name }) => name), ['GPU 0', 'GPU 1', 'GPU 2']);
	assert.deepEqual(systemLines(sheet, [], how), []);
});

test('a label has its colour in each panel, one device of a host its own', () => {
	const how = { color: { slot: 2 }, slotOf: ({ place }) => Number(place.slice(1)), reportersOf: () => 1, names: ({ id }) => id };
	const sheet = sheetOf(answer(['r3', 'r1', 'r4'].map((label) => ({ key: 'gpu.0.gpu', label, columns: columns([1, 2]) }))), metric, new Map());
	const slots = (rows, of = sheet) => systemLines(of, rows, how).map(({ slot }) => slot);
	assert.deepEqual([slots(sheet.rows), slots(sheet.rows.slice(1)), slots(sheet.rows.slice(1, 2))], [[1, 3, 4], [3, 4], [3]]);
	const devices = sheetOf(answer([0, 1].map((at) => ({ key: `gpu.${at}.gpu`, host: 'n7', columns: columns([1, 2]) }))), metric, new Map());
	assert.deepEqual(slots(devices.rows, devices), [0, 1]);
	const alone = sheetOf(answer([{ key: 'gpu.0.gpu', host: 'n7', columns: columns([1, 2]) }]), metric, new Map());
	assert.deepEqual(slots(alone.rows, alone), [2], 'the colour of the run');
});

test('what several processes of a host send milliseconds apart is one line; silence is none', () => {
	const sent = Array.from({ length: 160 }, (_, at) => [0, 1].includes(at % 15) && (at < 60 || at > 140) ? at : null);
	const sheet = sheetOf(answer([{ key: 'gpu.0.gpu', host: 'n', columns: columns(sent) }], { to: 1600, buckets: 160 }), metric, new Map());
	const lineOf = (reporters) => systemLines(sheet, sheet.rows, { color: {}, reportersOf: () => reporters, names: String })[0];
	const { values, alone } = bridged(lineOf(2), 160);
	assert.deepEqual([alone, values[8], values[100]], [[], undefined, null]);
	assert.equal(bridged(lineOf(1), 160).values[8], null, 'of one process it would be silence');
});

test('lines come in and go out of what is zoomed to', () => {
	const beside = { before: { x: 90, value: 4, usual: 15 }, after: { x: 120, value: 6, usual: 15 } };
	const inside = { ...answer([{ key: 'gpu.0.gpu', host: 'n', columns: columns([5], { from: 105 }), ...beside }], { from: 100, to: 110 }) };
	const whole = { ...sheetOf(inside, metric, new Map()), panel: inside.panel, ends: [100, 110] };
	const [line] = systemLines(whole, whole.rows, { color: {}, reportersOf: () => 2, names: String });
	assert.deepEqual([line.before, line.after.usual], [{ x: 90, value: 4, usual: 30 }, 30]);
	assert.deepEqual([line.mean.length, line.mean[1]], [12, 5], 'there is a place more at each side');
	const nothing = { panel: { ...inside.panel, from: null, to: null }, series: [{ key: 'gpu.0.gpu', host: 'n', columns: { at: [] }, ...beside }] };
	const through = { ...sheetOf(nothing, metric, new Map()), panel: nothing.panel, ends: [100, 110] };
	const [passing] = systemLines(through, through.rows, { color: {}, reportersOf: () => 1, names: String });
	assert.equal(passing.mean.length, 12);
	assert.deepEqual(extentSeen(through.rows, 0, -1), [4, 6]);
});

test('the median of many goes over no outage', () => {
	const sent = (at) => at < 60 || at >= 100 ? 50 : null;
	const series = Array.from({ length: 40 }, (_, host) => ({ key: 'gpu.0.gpu', host: `n${host}`,
		columns: columns(Array.from({ length: 160 }, (_unused, at) => sent(at) && at % 4 === host % 4 ? 50 : null)) }));
	const sheet = sheetOf(answer(series, { to: 1600, buckets: 160 }), metric, new Map());
	const how = { color: {}, slotOf: () => 0, reportersOf: () => 8, names: String, middleName: String, reckoned: reckoned(sheet) };
	assert.equal(bridged(systemLines(sheet, sheet.rows, how)[0], 160).values[80], null);
});

test('of a host those tell at once who were there at once', () => {
	const at = (host, joined, heard) => ({ host, joined_at: `2026-03-01T${joined}:00Z`, heard_at: `2026-03-01T${heard}:00Z` });
	const resumed = Array.from({ length: 9 }, (_, hour) => at('a', `0${hour}:00`, `0${hour + 1}:00`));
	const found = reportersAtOnce([...resumed, at('b', '01:00', '03:00'), at('b', '02:00', '04:00'), at('b', '02:30', '02:40'), at('', '00:00', '01:00')]);
	assert.deepEqual([...found], [['a', 1], ['b', 3]]);
});

test('of the rows at hand it is known how far apart those of one process lie', () => {
	assert.equal(meanApart({ x_first: [10, 40], x_last: [25, 70], n: [2, 3] }), 15);
	assert.equal(meanApart({ x_first: [10], x_last: [10], n: [1] }), undefined);
});

/* What is said of sheets: as the page says it, of places as they are. */
const said = (...sheets) => standsOut(sheets).map((one) => findingText(one, { names: (row) => `GPU ${row.device}`, where: String }));

test('idle, throttled and hot GPUs are told, with since when', () => {
	const sheets = [
		fleet('gpu.gpu', '%', (device, at) => device === 3 && at >= 8 ? 0 : 90), fleet('gpu.temp', '°C', (device, at) => device === 5 && at >= 12 ? 84 : 60 + device / 10),
		fleet('gpu.smClock', 'MHz', (device, at) => device === 5 && at >= 12 ? 1125 : device === 3 ? 300 : 1980),
	];
	assert.deepEqual(said(...sheets), ['GPU 3 at 0 % (GPU utilisation) since 180, others 90 %.', 'GPU 3 at 300 MHz in all that is shown, others 1,980 MHz.',
		'GPU 5 at 84 °C and 1,125 MHz since 220, others 60.5 °C and 1,980 MHz.']);
	assert.deepEqual(said(), []);
	assert.deepEqual(said(fleet('gpu.gpu', '%', () => 0)), [], 'a run that rests has no idle GPU');
	assert.deepEqual(said(fleet('gpu.gpu', '%', () => NaN), fleet('gpu.temp', '°C', () => NaN)), []);
	const half = fleet('gpu.gpu', '%', (device) => device < 5 ? 0 : 90);
	assert.deepEqual(said(half), ['GPU 0, GPU 1, GPU 2, GPU 3 and 1 more idle (0 %) in all that is shown, others 90 %.']);
	const slow = fleet('gpu.smClock', 'MHz', (device, at) => device > 6 && at > 9 ? 1125 : 1980);
	assert.deepEqual(said(half, slow).slice(1), ['GPU 7, GPU 8, GPU 9 at 1,125 MHz under load since 200, the median is 1,980 MHz.'], 'more than a few are no odd ones, but slow');
	assert.deepEqual(said(fleet('gpu.gpu', '%', (device) => device === 3 ? 0 : 90), slow).slice(1), ['GPU 7, GPU 8, GPU 9 at 1,125 MHz under load since 200, the median is 1,980 MHz.']);
});

test('only what is shown is told, against the median of all', () => {
	const sheets = [fleet('gpu.gpu', '%', (device) => device === 3 || device === 4 ? 0 : 90),
		fleet('gpu.smClock', 'MHz', (device, at) => device > 6 && at > 9 ? 1125 : 1980)];
	const told = (...devices) => standsOut(sheets, (row) => devices.includes(row.device)).map(({ rows, values }) =>
		[rows.map(({ device }) => device), values[0].others]);
	assert.deepEqual(told('0', '1', '2'), []);
	assert.deepEqual(told('0', '3'), [[['3'], 90]]);
	assert.deepEqual(told('4', '8', '9'), [[['4'], 90], [['8', '9'], 1980]]);
	const half = fleet('gpu.gpu', '%', (device) => device < 5 ? 0 : 90);
	assert.deepEqual(standsOut([half], ({ device }) => device === '2').map(({ kind, rows }) => [kind, rows.length]), [['idle', 1]]);
});

test('a card that is far from the others is named, whatever of it is', () => {
	const noise = (device, at) => ([-1, 1, 0, -0.5, 0.5][device] ?? 0) + (at % 3 - 1) / 2; /* per cent */
	const of = (id, unit, usual, odd, count = 8) => {
		const sheet = fleet(id, unit, (device, at) => (device === 2 ? odd : usual) + noise(device, at) * usual / 100);
		return { ...sheet, rows: sheet.rows.slice(0, count) };
	};
	const named = (...how) => said(of(...how));
	assert.deepEqual(named('gpu.gpu', '%', 93, 61), ['GPU 2 at 61 % (GPU utilisation) in all that is shown, others 93 %.']);
	assert.deepEqual(named('gpu.powerWatts', 'W', 590, 390), ['GPU 2 at 390 W in all that is shown, others 590 W.']);
	assert.deepEqual(named('gpu.powerWatts', 'W', 390, 590), ['GPU 2 at 590 W in all that is shown, others 390 W.']);
	assert.deepEqual(named('gpu.temp', '°C', 66, 83), ['GPU 2 at 83 °C in all that is shown, others 66 °C.']);
	assert.deepEqual(named('gpu.memoryAllocated', '%', 80, 45), ['GPU 2 at 45 % (GPU memory) in all that is shown, others 80 %.']);
	assert.deepEqual(named('tpu.dutyCycle', '%', 80, 45), ['GPU 2 at 45 % (tpu.dutyCycle) in all that is shown, others 80 %.']);
	for (const unit of ['%', 'W', '°C', 'MHz']) {
		const id = { '%': 'gpu.gpu', W: 'gpu.powerWatts', '°C': 'gpu.temp', MHz: 'gpu.smClock' }[unit];
		assert.deepEqual(named(id, unit, 90, 92), [], `${unit}: no noise is told`);
	}
	assert.deepEqual(named('gpu.powerWatts', 'W', 70, 90), [], 'cards that rest differ by some watts');
	assert.deepEqual(named('gpu.gpu', '%', 93, 61, 3), [], 'of three there is no middle that tells anything');
	assert.deepEqual([named('gpu.gpu', '%', 93, 61, 4).length, named('gpu.gpu', '%', 93, 61, 1)], [1, []]);
	assert.deepEqual(named('gpu.fanSpeed', '%', 30, 90), [], 'of what may differ nothing is told');
});

test('cards of two kinds, and one that works while others rest, do not stand out', () => {
	const kinds = (many) => said(fleet('gpu.gpu', '%', (device) => device < many ? 95 : 40), fleet('gpu.powerWatts', 'W', (device) => device < many ? 600 : 250));
	assert.deepEqual([5, 6, 7].map(kinds), [[], [], []]);
	assert.deepEqual(kinds(8), ['GPU 8, GPU 9 at 40 % (GPU utilisation) and 250 W in all that is shown, others 95 % and 600 W.']);
	const alone = [fleet('gpu.gpu', '%', (device) => device ? 0 : 95), fleet('gpu.powerWatts', 'W', (device) => device ? 70 : 600)];
	assert.deepEqual(said(...alone), said(alone[0]).filter((one) => one.includes('idle')));
	const stages = fleet('gpu.memoryAllocated', '%', (device) => 90 - device * 6);
	assert.deepEqual(said(stages), [], 'nor stages that need ever less');
});

test('since when a card is far from the others goes by what they had at that time', () => {
	const pause = (at) => at > 10 && at < 15 ? 40 : 66; /* all cool down for a while */
	assert.deepEqual(said(fleet('gpu.temp', '°C', (device, at) => pause(at) + (device === 4 && at >= 6 ? 20 : 0))), ['GPU 4 at 86 °C since 160, others 66 °C.']);
	assert.deepEqual(said(fleet('gpu.gpu', '%', (device, at) => device === 4 && at >= 6 && at % 4 ? 50 : 90)), ['GPU 4 at 50 % (GPU utilisation) since 160, others 90 %.'],
		'a value or two between do not end it');
	assert.deepEqual(said(fleet('gpu.gpu', '%', (device, at) => device === 4 && at >= 6 && at < 12 ? 50 : 90)), [], 'what is over is not told');
	const steps = { ...fleet('gpu.temp', '°C', (device, at) => device === 4 && at >= 6 ? 90 : 66), x: '_step' };
	assert.equal(standsOut([{ ...steps, grid: { ...steps.grid, width: 10.3 } }])[0].since, 162);
	const apart = [fleet('gpu.powerWatts', 'W', (device, at) => device === 4 && at >= 6 ? 300 : 600), fleet('gpu.temp', '°C', (device, at) => device === 4 && at >= 12 ? 90 : 66)];
	assert.deepEqual(said(...apart), ['GPU 4 at 300 W since 160, others 600 W.', 'GPU 4 at 90 °C since 220, others 66 °C.'], 'what began at another time is said by itself');
});

test('4,096 cards of which many stand out are no burden', () => {
	const cells = (odd) => Float64Array.from({ length: 96 }, (_, at) => odd && at > 40 ? 50 : 90);
	const rows = Array.from({ length: 4096 }, (_, at) => ({ id: String(at), place: 'n', device: String(at), cells: cells(at % 5 === 0), last: 95 }));
	const [one, ...more] = standsOut([{ metric: { id: 'gpu.gpu', unit: '%', section: 'gpu' }, grid: { from: 0, width: 1, count: 96 }, x: '_timestamp', rows }]);
	assert.deepEqual([one.rows.length, one.since, more.length], [820, 41, 0]);
});

/* What is usual for a card is found once, not for each column: that took minutes. */
test('4,096 cards of which many are throttled are no burden', { timeout: 60000 }, () => {
	const sheet = (id, unit, cellsOf) => ({ metric: { id, unit, section: 'gpu' }, grid: { from: 0, width: 1, count: 600 },
		x: '_timestamp', rows: Array.from({ length: 4096 }, (_, at) => ({
			id: String(at), place: 'n', device: String(at), last: 599, cells: Float64Array.from({ length: 600 }, cellsOf(at)) })) });
	const clocks = sheet('gpu.smClock', 'MHz', (at) => (_, column) => at % 3 === 0 && column > 300 ? 900 : 1800);
	const [one, ...more] = standsOut([sheet('gpu.gpu', '%', () => () => 95), clocks]);
	assert.deepEqual([one.kind, one.rows.length, one.since, more.length], ['throttled', 1366, 301, 0]);
});

test('labels, hosts and devices are chosen by what is typed', () => {
	assert.ok(placeMatcher('rank1*, node3')('rank12', 'node9') && placeMatcher('rank1*,node3')('x', 'node3') && placeMatcher('')('x'));
	assert.ok(!placeMatcher('rank1*')('rank2', '') && !placeMatcher('.*')('rank2'));
	const lacks = (list) => placeFault(list, ['rank0', 'node3']);
	assert.deepEqual(['', 'rank*', 'node3, rank0'].map(lacks), ['', '', '']);
	assert.equal(lacks('rank0, node4'), 'No label or host node4 has system metrics.');
	const chosen = deviceMatcher('0-2, 7,vda');
	assert.deepEqual(['0', '2', '3', '7', '17', 'vda', ''].filter(chosen), ['0', '2', '7', 'vda', '']);
	assert.deepEqual(['0:1', '1:17', '3:0'].filter(chosen), ['0:1', '1:17'], 'instances and links');
	const ofKinds = deviceMatcher('vda, gpu:0-1, 3');
	assert.deepEqual(['0', '1', '2', '3', '3:2', ''].filter((device) => ofKinds(device, 'gpu')), ['0', '1', '3', '3:2', '']);
	assert.ok(ofKinds('vda', 'disk') && !ofKinds('vdb', 'disk') && !ofKinds('0', 'tpu'), 'a part without a kind is about all');
	assert.ok(deviceMatcher('gpu:0')('5', 'tpu'), 'a kind that no part is about');
	assert.equal(deviceFault('gpu:0-3, tpu:1', ['0', 'gpu:0']), 'There is no device tpu:1.');
	const wrong = (list) => deviceFault(list, ['0', '1', '2', '10', 'vda']);
	assert.deepEqual(['', '1-9', '0, vda', '2-2,', '9-30'].map(wrong), ['', '', '', '', '']);
	assert.equal(wrong('9-3'), 'Invalid range 9-3: put the smaller number first.');
	assert.deepEqual(['0,abc', '3-9', 'vd'].map(wrong), ['There is no device abc.', 'There is no device 3-9.', 'There is no device vd.']);
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

test('rows beside a zoom that come while a sheet is made come after it, and what comes later is asked for', async (t) => {
	let now = 0;
	t.mock.method(performance, 'now', () => now += 20); /* so that each series takes a slice of its own */
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { wants, page, feed } = feedOf();
	page.look = { zoom: [100, 400] };
	page.zoom = page.look.zoom;
	const series = (values, from) => Array.from({ length: 200 }, (_, at) => ({ run: 'r', key: 'gpu.0.gpu', host: `n${at}`,
		columns: { ...columns(values, { from }), x_last: columns(values, { from }).x_first, first: values, last: values } }));
	const answered = (values, from) => ({ answer: { ...answer(series(values, from), { from, to: from + 10 }), faults: [] } });
	feed.listen(() => {});
	wants[0].listener(answered([1], 200));
	await import('../../../web-static/js/chart/line/zoom_sides.js');
	await new Promise(setImmediate);
	assert.equal(wants.length, 3, 'for what is beside, too');
	assert.deepEqual(wants[1].question.panel.columns.filter((name) => ['first', 'last'].includes(name)), ['first', 'last']);
	wants[1].listener(answered([7], 50));
	for (let at = 0; at < 40; at++) t.mock.timers.tick(1);
	assert.deepEqual([feed.sheet?.rows.length, feed.sheet?.rows[0].before?.value], [200, 7]);
	wants[2].listener(answered([9], 500));
	for (let at = 0; at < 40; at++) t.mock.timers.tick(1);
	assert.equal(feed.sheet.rows[199].after.value, 9);
	feed.rowsCame();
	t.mock.timers.tick(60000);
	assert.equal(wants.length, 4, 'the whole, and nothing beside it once more');
});

test('a feed asks once for all who listen, and never gives up a question for rows that came meanwhile', (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { wants, page, feed } = feedOf();
	let told = 0;
	const stops = [1, 2].map(() => feed.listen(() => told++));
	assert.deepEqual(wants.map(({ question: { panel } }) => [panel.split, panel.buckets, panel.rate, panel.keys.length]), [['host', 64, undefined, 2]]);
	feed.rowsCame();
	feed.rowsCame();
	t.mock.timers.tick(60000);
	assert.ok(wants.length === 1 && !wants[0].isGone, 'the answer is waited for');
	wants[0].listener({ answer: { ...answer([{ key: 'gpu.0.gpu', host: 'a', columns: columns([1, 2, 3]) }]), faults: [] } });
	assert.equal(told, 2);
	t.mock.timers.tick(6000);
	assert.equal(wants.length, 2, 'what came meanwhile is asked for next');
	assert.equal(wants[1].question.panel.from, 0);
	page.senders = Array.from({ length: 4096 * 400 }, () => ({}));
	assert.equal(feed.question().panel.buckets, 16, 'not fewer than one can read');
	page.senders = Array.from({ length: 4096 }, () => ({}));
	assert.deepEqual([feed.question().panel.buckets, feed.question().panel.columns], [64, ['x_first', 'mean']]);
	stops.forEach((stop) => stop());
	assert.ok(wants[1].isGone);
	feed.rowsCame();
	t.mock.timers.tick(60000);
	assert.equal(wants.length, 2, 'who is not seen asks for nothing');
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

/* Columns of steps: three quick ones a second each, one of ten minutes, and quick ones again. */
const PACES = [1, 1, 1, 600, 1, 1, 1, 1, 1, 1, 1, 1];
const TIMES = PACES.reduce((times, pace) => [...times, times.at(-1) + pace], [0]);

test('where columns are of steps, silence is told by time', () => {
	const row = (cells) => ({ cells: Float64Array.from(cells), low: Float64Array.from(cells), high: Float64Array.from(cells), x: Float64Array.from(cells), odd: new Map() });
	const standing = (cells, times) => numbers(reckoned({ grid: { count: 12 }, metric: {}, times }, [row(cells)]).stood[0].cells, 12);
	const sparse = [1, NaN, NaN, 2, NaN, NaN, 3, NaN, NaN, NaN, NaN, NaN];
	assert.deepEqual(standing(sparse, TIMES), [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
	assert.deepEqual(standing(sparse), [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
	const slow = [1, 1, 1, NaN, 1, 1, 1, 1, 1, 1, 1, 1];
	assert.deepEqual(standing(slow), Array(12).fill(1), 'one column without a value is nothing');
	assert.deepEqual(standing(slow, TIMES), Array(12).fill(1), 'nobody knows that it begins late');
	const silent = [1, 1, 1, NaN, NaN, 1, 1, 1, 1, 1, 1, 1];
	assert.deepEqual(standing(silent, TIMES)[4], null, 'ten minutes of silence are');
	assert.deepEqual(standing(silent)[3], 1);
	assert.deepEqual(standing([NaN, 5, NaN, NaN, NaN, NaN, NaN, NaN, NaN, NaN, NaN, NaN], TIMES), [null, 5, 5, 5, ...Array(8).fill(null)]);
});

test('lines break where time went by, not where steps did', () => {
	const line = (values, times) => ({ mean: values, nan: [], pinf: [], ninf: [], times });
	const each = [1, null, 1, null, null, null, null, null, null, null, null, 1];
	const fast = Array.from({ length: 13 }, (_, at) => at < 3 ? at * 60 : 180 + (at - 3));
	assert.deepEqual(bridged(line([1, 1, 1, ...each.slice(3)], fast), 12).alone, [], 'nine steps in nine seconds');
	const quick = line([1, 1, 1, null, null, 1, 1, 1, 1, 1, 1, 1], TIMES);
	assert.equal(bridged(quick, 12).values[3], null);
	assert.equal(bridged({ ...quick, times: undefined }, 12).values[3], undefined);
});

test('what has no step is said', () => {
	const sheet = (before, after) => ({ aside: { before, after } });
	assert.equal(stepNote([], false), 'The run has no steps, because it has no rows of metrics.');
	assert.equal(stepNote([{}, sheet(0, 0)], true), 'Each sample is drawn at the step that the run had reached.');
	assert.match(stepNote([sheet(75, 0), sheet(30, 0.25)], true), /samples of 1 min 15 s before the first row and less than 1 s after the last one\.$/);
	assert.match(stepNote([sheet(0, 20)], true), /samples of 20 s after the last one\.$/);
});
