/* The labels of one run as one line: each counts with its mean in a bucket, as runs of a group do. Pure. */

import { emptyLine } from '../data/buckets.js';

const sum = (values) => values.reduce((a, b) => a + b, 0);

/* Standard deviation of what labels have; null of one. */
function deviation(values, mean) {
	return values.length > 1 ? Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / (values.length - 1)) : null;
}

/* lines: of buckets.js, a label each, all on the same grid. */
export function labelMean(lines, count) {
	const line = emptyLine(count);
	for (let at = 0; at < count; at++) {
		const there = lines.filter((one) => one.mean[at] !== null);
		const places = lines.map((one) => one.x[at]).filter((x) => x !== null);
		for (const name of ['n', 'nan', 'pinf', 'ninf']) line[name][at] = sum(lines.map((one) => one[name][at]));
		if (places.length) line.x[at] = Math.min(...places);
		if (places.length) line.xEnd[at] = Math.max(...lines.map((one) => one.xEnd[at] ?? -Infinity));
		if (!there.length) continue;
		const means = there.map((one) => one.mean[at]);
		line.mean[at] = sum(means) / means.length;
		line.min[at] = Math.min(...there.map((one) => one.min[at]));
		line.max[at] = Math.max(...there.map((one) => one.max[at]));
		line.runs[at] = means.length;
		line.spread[at] = deviation(means, line.mean[at]);
	}
	return { ...line, members: lines.length, isGroup: true, isOfLabels: true };
}
