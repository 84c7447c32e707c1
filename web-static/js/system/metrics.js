/*
 * Describes keys of system metrics: the section, the metric, the device, the unit, and the scope. That is the machine,
 * which each process of a host measures, or the process that sent it. One metric has a key for each device.
 */

import { askAll } from '../api.js';
import { byName } from '../chart/panel/sections.js';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

export const SECTIONS = ['gpu', 'tpu', 'hpu', 'trn', 'ipu', 'process', 'cpu', 'memory', 'disk', 'network', 'pressure', 'gpuProcess',
	'openmetrics', 'other'];

/* Which keys there are: the first that fits. What none fits is of the process, under its own name. */
const SHAPES = [
	{ form: /^gpu\.process\.(?<device>\d+)\.mig\.(?<part>\d+)\.(?<name>.+)$/, section: 'gpuProcess', scope: 'process',
		prefix: 'gpu.process.mig.' },
	{ form: /^gpu\.process\.(?<device>\d+)\.(?<name>.+)$/, section: 'gpuProcess', scope: 'process',
		prefix: 'gpu.process.' },
	{ form: /^gpu\.(?<device>\d+)\.mig\.(?<part>\d+)\.(?<name>.+)$/, section: 'gpu', scope: 'host', prefix: 'gpu.mig.' },
	{ form: /^gpu\.(?<device>\d+)\.nvlink\.(?<part>\d+)\.(?<name>.+)$/, section: 'gpu', scope: 'host', prefix: 'gpu.nvlink.' },
	{ form: /^(?<section>gpu|tpu|hpu|trn|ipu|cpu)\.(?<device>\d+)\.(?<name>.+)$/, scope: 'host' },
	{ form: /^trn\.(?<name>.+)$/, section: 'trn', scope: 'process', prefix: 'trn.' },
	{ form: /^tpu\.(?<name>.+)$/, section: 'tpu', scope: 'process', prefix: 'tpu.' },
	{ form: /^(?<name>proc\.memory\.availableMB|memory|memory_percent|memory\.hugePages.+|(memory|swap)\.used(_percent)?)$/, section: 'memory', scope: 'host' },
	{ form: /^(?<name>memory\.oomKills)$/, section: 'memory', scope: 'process' },
	{ form: /^(?<name>cgroup\..+)$/, section: 'process', scope: 'process' },
	{ form: /^(?<name>cpu\.(temp|avg_temp|[ep]cpu_.+|powerWatts)|ane\.power|(system\.)?powerWatts)$/, section: 'cpu', scope: 'host' },
	{ form: /^(?<name>pressure\..+)$/, section: 'pressure', scope: 'host' },
	{ form: /^(?<name>nfs\..+)$/, section: 'disk', scope: 'host' },
	{ form: /^infiniband\.(?<device>.+)\.(?<name>\w+)$/, section: 'network', scope: 'host', prefix: 'infiniband.' },
	{ form: /^(?<name>cpu|proc\..+)$/, section: 'process', scope: 'process' },
	{ form: /^(?<name>disk\.(in|out)|network\.(sent|recv))$/, scope: 'host' },
	{ form: /^disk\.(?<device>.+)\.(?<name>in|out|usagePercent|usageGB)$/, section: 'disk', scope: 'host',
		prefix: 'disk.device.' },
	{ form: /^openmetrics\.(?<name>[^.]+\.[^.]+)\.(?<device>\d+)$/, section: 'openmetrics', scope: 'host',
		prefix: 'openmetrics.' },
	{ form: /^(?<name>.+)$/, section: 'other', scope: 'process' },
];

/* One metric, spelled in other ways by older SDKs, or in two ways at once. */
const SAME = {
	'gpu.memory_allocated': 'gpu.memoryAllocated', 'gpu.process.memory_allocated': 'gpu.process.memoryAllocated',
	'gpu.unCorrectedMemoryErrors': 'gpu.uncorrectedMemoryErrors', memory: 'memory_percent', powerWatts: 'system.powerWatts',
		'tpu.memoryUsage': 'tpu.hbmMemoryUsage',
	'tpu.memoryUsageBytes': 'tpu.hbmCapacityUsage',
};

/* By the end of the metric's name: the first that fits. `times` makes the unit of what was sent. */
const UNITS = [
	{ form: /^(network|infiniband)\.(sent|recv)$/, unit: 'bytes/s', isRate: true },
	{ form: /^(disk\.(device\.)?(in|out)|nfs\.(read|written))$/, unit: 'bytes/s', times: MIB, isRate: true },
	{ form: /^openmetrics\..*_bytes_total$/, unit: 'bytes/s', isRate: true },
	{ form: /^openmetrics\..*_seconds_total$/, unit: '%', times: 100, isRate: true },
	{ form: /^openmetrics\..*_total$/, unit: '1/s', isRate: true },
	{ form: /^openmetrics\..*_bytes$/, unit: 'bytes' },
	{ form: /^openmetrics\..*_seconds$/, unit: 's' },
	{ form: /^openmetrics\..*_celsius$/, unit: '°C' },
	{ form: /^openmetrics\..*_ratio$/, unit: '%', times: 100 },
	{ form: /^openmetrics\./, unit: '' },
	{ form: /^pressure\./, unit: '%' },
	{ form: /Us$/, unit: 'µs' },
	{ form: /Seconds$|Duration$/, unit: 's' },
	{ form: /\.(pcie|nvlink)[\w.]*Bytes$/, unit: 'bytes/s' },
	{ form: /energyJoules$/, unit: 'W', isRate: true },
	{ form: /totalEnergyConsumption$/, unit: 'W', times: 1e-3, isRate: true },
	{ form: /\.throttle\./, unit: '%', times: 100 },
	{ form: /MB$/, unit: 'bytes', times: MIB },
	{ form: /GB$/, unit: 'bytes', times: GIB },
	{ form: /Bytes$|\.hbmCapacity|memory_usage\b|^(memory|swap)\.used$/, unit: 'bytes' },
	{ form: /Errors$|threads$|Kills$|Descriptors$|linkDowned$|QueueSize/, unit: 'count' },
	{ form: /watts$|power \(W\)|^ane\.power$/i, unit: 'W' },
	{ form: /temp/i, unit: '°C' },
	{ form: /clock|freq/i, unit: 'MHz' },
	{ form: /percent$|utili[sz]ation|usage$|allocated$|active$|occupancy$|fanSpeed$|dutyCycle$|activity$|overDrive$|%/i, unit: '%' },
	{ form: /^(cpu|memory_percent|(gpu|gpu\.process|gpu\.mig)\.(gpu|memory))$/, unit: '%' },
];

/* Metrics that are shown first; the others follow by name. */
const FIRST = ['gpu.gpu', 'gpu.memoryAllocated', 'gpu.powerWatts', 'gpu.temp', 'gpu.smClock', 'gpu.memory',
	'gpu.memoryAllocatedBytes', 'hpu.utilization', 'hpu.memoryAllocated', 'hpu.powerWatts', 'hpu.temp',
	'cpu', 'proc.memory.rssMB', 'memory_percent', 'proc.memory.availableMB', 'disk.in', 'disk.out', 'network.sent',
		'network.recv'];

/* {id, section, scope, device, unit, times, isRate} */
export function readKey(key) {
	const plain = key.replace(/^system\./, '');
	const shape = SHAPES.find((one) => one.form.test(plain));
	const { name, part, device = '', section = shape.section || plain.split('.')[0] } = plain.match(shape.form).groups;
	const prefix = shape.prefix ?? (device && `${section}.`);
	const made = prefix + name;
	const id = Object.hasOwn(SAME, made) ? SAME[made] : made;
	const { unit = '', times = 1, isRate = false } = UNITS.find((one) => one.form.test(id)) || {};
	const whole = section === 'disk' ? device.replaceAll('\\', '/') : device; /* older SDKs write paths so */
	const deviceName = part === undefined ? whole : `${whole}:${part}`; /* as NVIDIA's container tools write instances */
	return { id, section, scope: shape.scope, device: deviceName, unit, times, isRate };
}

const LESS_IS_SLOWER = /^gpu\.gpu$|utili[sz]ation|clock|freq/i; /* and of what is a rate */

export const slowSideOf = ({ id, isRate }) => isRate || LESS_IS_SLOWER.test(id) ? 'low' : 'high';

const place = (id) => FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length;

/* Keys of a run as metrics, each with its keys by device, in the order in which they are shown. */
export function metricsOf(keys) {
	const metrics = new Map();
	for (const key of keys) {
		const { device, ...metric } = readKey(key);
		if (!metrics.has(metric.id)) metrics.set(metric.id, { ...metric, keys: [] });
		metrics.get(metric.id).keys.push({ key, device });
	}
	const all = [...metrics.values()];
	for (const metric of all) metric.keys.sort((a, b) => byName(a.device, b.device));
	const section = (metric) => SECTIONS.indexOf(metric.section);
	return all.sort((a, b) => section(a) - section(b) || place(a.id) - place(b.id) || byName(a.id, b.id));
}

/* [{section, metrics}], those that there are. */
export function sectionsOf(metrics) {
	return SECTIONS.map((section) => ({ section, metrics: metrics.filter((metric) => metric.section === section) }))
		.filter((one) => one.metrics.length > 0);
}

const byNumber = ({ key, kinds }) => !key.startsWith('_') && (kinds.includes('number') || kinds.includes('nonfinite'));

/* {keys} or {answer}, the response that failed. */
export async function systemKeys(data) {
	const answer = await askAll(`${data.path}/keys?stream=events`, data.options);
	return answer.status === 200 ? { keys: answer.body.items.filter(byNumber).map((item) => item.key) } : { answer };
}
