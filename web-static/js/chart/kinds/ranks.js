/* A key across the labels of a run, as the sheet that is drawn: a row a label, a column a stretch of time. */

import { medianOf } from '../../base/median.js';
import { byLabel } from '../../base/writer_order.js';
import { missingOf } from './expected.js';

const FAR = 3; /* spreads above the median from which on a label counts as slow, as the server counts */
const CHRONIC = 0.2;
const FEW = 3; /* distances: fewer say little of what is usual */
const RATE = /per_s|per_sec|\/s$|throughput|tokens_per|samples_per|img_s|fps/i;
const TIME = [/step_?time/i, /iter(ation)?_?time/i, /(time|seconds|duration|latency|_ms|_s)$/i, /loss$/i];

/* Returns which side is slow: for a rate, the lowest value is the slowest. */
export function slowSide(key) {
	return RATE.test(key) && !/time/i.test(key) ? 'low' : 'high';
}

/* The key to begin with: a step's time if there is one. */
export function firstKey(keys) {
	const numbers = keys.filter((key) => key.kinds.includes('number')).map((key) => key.key);
	for (const form of TIME) {
		const found = numbers.find((key) => form.test(key));
		if (found) return found;
	}
	return numbers[0];
}

/* If most labels are silent in many columns, returns a lower number of columns that their rows can fill; else null. */
export function fewerColumns(sheet) {
	if (!sheet.columns.length) return null;
	const wide = sheet.columns[sheet.columns.length - 1].at + 1;
	const counts = sheet.labels.map((row) => row.values.filter((value) => value !== null).length).sort((a, b) => a - b);
	const usual = counts[Math.floor(counts.length * 0.75)] || 0;
	return usual < wide * 0.7 ? Math.max(1, Math.floor(usual * 0.7)) : null;
}

/* Columns are finer than rows: up to twice as far as usual a value stands until the next one comes. */
function stand(cells) {
	const filled = [...cells.keys()].filter((at) => !Number.isNaN(cells[at]));
	const apart = filled.slice(1).map((at, i) => at - filled[i]).sort((a, b) => a - b);
	const most = apart.length < FEW ? 0 : 2 * apart[Math.floor(apart.length / 2)];
	for (const [i, at] of filled.entries())
		if (filled[i + 1] - at <= most) cells.fill(cells[at], at + 1, filled[i + 1]);
	return cells;
}

/* Columns without any value are columns, too. */
function spread(sheet, wide) {
	const places = sheet.columns.map((column) => column.at);
	return sheet.labels.map((row) => {
		const cells = new Float64Array(wide).fill(NaN);
		row.values.forEach((value, index) => {
			if (value !== null) cells[places[index]] = value;
		});
		return { label: row.label, far: Number(row.far), slow: row.slow, mean: row.mean, cells: stand(cells) };
	});
}

/* Returns the median of each column. */
function medians(rows, wide) {
	const room = new Float64Array(rows.length);
	return new Float64Array(wide).map((_, at) => {
		let known = 0;
		for (const { cells } of rows) if (cells[at] === cells[at]) room[known++] = cells[at]; /* no NaN */
		return medianOf(room, known);
	});
}

/* Without the columns that have a single value, which is its own median. */
function shared(middle, rows) {
	return middle.map((value, at) => {
		const isThere = ({ cells }) => !Number.isNaN(cells[at]);
		return rows.findIndex(isThere) === rows.findLastIndex(isThere) ? NaN : value;
	});
}

/* Returns the median ratio of a label to the middle, over the latest tenth of the columns it shares with others. */
function lately(cells, middle) {
	const known = [];
	for (let at = cells.length - 1; at >= 0 && known.length < Math.max(3, cells.length / 10); at--) {
		if (!Number.isNaN(cells[at]) && middle[at]) known.push(cells[at] / middle[at]);
	}
	known.sort((a, b) => a - b);
	return known.length ? known[Math.floor(known.length / 2)] : NaN;
}

/* Returns rows for labels that are silent in all columns and have the same form as the other labels. */
function silentRows(rows, labels, wide) {
	return missingOf(rows.map(({ label }) => label), labels)
		.map((label) => ({ label, far: 0, slow: 0, mean: null, cells: new Float64Array(wide).fill(NaN) }));
}

/*
 * {rows, wide, times: [from, to], middle, name, side, say}; a row has label, host, cells, ratio (lately), far and slow,
 * and stands with those of its host. measure: of measures.js.
 */
export function sheetOf(answer, hosts, measure = {}) {
	const wide = answer.columns.length ? answer.columns[answer.columns.length - 1].at + 1 : 0;
	const own = spread(answer, wide);
	const middle = medians(own, wide);
	const all = [...own, ...silentRows(own, [...hosts.keys()], wide)];
	const common = shared(middle, all);
	const rows = all.map((row) => ({ ...row, host: hosts.get(row.label) || '', ratio: lately(row.cells, common) }));
	const first = new Map();
	rows.sort((a, b) => byLabel(a.label, b.label));
	rows.forEach((row, index) => first.has(row.host) || first.set(row.host, index));
	rows.sort((a, b) => first.get(a.host) - first.get(b.host) || byLabel(a.label, b.label));
	const ends = answer.columns.length
		? [answer.columns[0].x_first, answer.columns[wide ? answer.columns.length - 1 : 0].x_last] : [0, 0];
	return { rows, wide, times: ends, middle, name: measure.name, side: measure.side, say: measure.say };
}

const lastFilled = (cells) => cells.findLastIndex((value) => !Number.isNaN(value));

function longer(cells, wide) {
	const column = new Float64Array(wide).fill(NaN);
	column.set(cells);
	return column;
}

/*
 * With columns of silence up to the end of the run, from which there is no data any more: no more than there are columns of
 * rows. silent: label to the seconds between its last row and that end.
 */
export function toTheEnd(sheet, silent) {
	const { rows, wide, times: [from, to] } = sheet;
	const width = (to - from) / wide;
	const endOf = ({ label, cells }) => lastFilled(cells) + 1 + Math.ceil(silent.get(label) / width - 1e-9);
	const ends = width > 0 ? rows.filter(({ label }) => silent.has(label)).map(endOf) : [];
	const most = Math.min(2 * wide, Math.max(wide, ...ends));
	if (!(most > wide)) return sheet;
	return { ...sheet, wide: most, times: [from, from + most * width], middle: longer(sheet.middle, most),
		rows: rows.map((row) => ({ ...row, cells: longer(row.cells, most) })) };
}

/* Rows of one host as one: the mean of their ratios. */
export function folded(sheet, open) {
	const groups = new Map();
	for (const row of sheet.rows) groups.set(row.host, [...groups.get(row.host) || [], row]);
	const rows = [...groups].flatMap(([host, members]) => open.has(host) || members.length === 1
		? members : [joined(host, members, sheet.wide)]);
	return { ...sheet, rows };
}

function joined(host, members, wide) {
	const cells = new Float64Array(wide).fill(NaN);
	for (let at = 0; at < wide; at++) {
		const known = members.map((row) => row.cells[at]).filter((value) => !Number.isNaN(value));
		if (known.length) cells[at] = known.reduce((sum, value) => sum + value, 0) / known.length;
	}
	const worst = members.reduce((most, row) => Math.abs(row.ratio - 1) > Math.abs(most.ratio - 1) ? row : most);
	return { ...worst, label: host, host, cells, folds: members.length, members: members.map((row) => row.label) };
}

/* Returns the lost members of a row, else the late ones: {state, label, more}, one by name; null if there are none. */
function unheard(row, states) {
	for (const state of ['lost', 'late']) {
		const labels = (row.members ?? [row.label]).filter((label) => states.get(label) === state);
		if (labels.length) return { state, label: labels[0], more: labels.length - 1 };
	}
	return null;
}

/* Names at the right of the strip: labels that are lost, late, or has been slow or fast lately. */
export function oddRows(sheet, states) {
	return sheet.rows.flatMap((row, index) => {
		const silent = unheard(row, states);
		if (silent) return [{ index, ...silent }];
		if (sheet.rows.length < 3 || !(Math.abs(row.far) > FAR || row.slow > CHRONIC)
			|| !(Math.abs(row.ratio - 1) > 0.01)) return [];
		return [{ index, label: row.label, percent: (row.ratio - 1) * 100 }];
	});
}

/* The five that are furthest on the slow side: {label, percent, share, isNoise}; none where one is alone. */
export function slowest(sheet) {
	const side = sheet.side === 'low' ? -1 : 1;
	const rows = sheet.rows.filter((row) => !Number.isNaN(row.ratio) && !row.folds);
	return (rows.length > 1 ? rows : [])
		.map((row) => ({ label: row.label, percent: (row.ratio - 1) * 100, share: row.slow,
			isNoise: !(row.far >= FAR || row.slow >= CHRONIC) }))
		.sort((a, b) => a.isNoise - b.isNoise || side * (b.percent - a.percent)).slice(0, 5);
}
