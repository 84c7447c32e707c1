/*
 * What stands out in the sheets that are there: idle GPUs, clocks that fell under load, heat. Numbers, never an advice.
 * Pure.
 */

import { medianOf } from './median.js';
import { lately, oddRows, sinceOf } from './odd_rows.js';

const IDLE = 5; /* per cent */
const BUSY = 30;
const LOADED = 50;
const CLOCK = 0.85; /* of what it usually is, or of the others */

const known = (values) => Float64Array.from(values).filter((value) => !Number.isNaN(value));

function nowOf({ rows, grid }) {
	return rows.map((row) => ({ row, value: lately(row, grid.count) })).filter(({ value }) => !Number.isNaN(value));
}

/* found: [{row, value}]; isOdd(row, value). Each row with the place on the axis from which on it has been so. */
function finding(kind, { grid, metric, x }, found, isOdd, others) {
	const rows = found.map(({ row, value }) => {
		const since = sinceOf(row, grid.count, (one) => isOdd(row, one));
		const place = grid.from + Math.max(0, since) * grid.width;
		return { row, value, since: x === '_step' ? Math.ceil(place - 1e-9) : place };
	});
	return rows.length ? [{ kind, unit: metric.unit, rows, others }] : [];
}

/* While others work. */
function idle(sheets) {
	const sheet = sheets.get('gpu.gpu');
	if (!sheet) return [];
	const isIdle = (row, value) => value < IDLE;
	const now = nowOf(sheet);
	const others = medianOf(known(now.map(({ value }) => value).filter((value) => value >= IDLE)));
	return others >= BUSY
		? finding('idle', sheet, now.filter(({ row, value }) => isIdle(row, value)), isIdle, others) : [];
}

function throttled(sheets) {
	const sheet = sheets.get('gpu.smClock');
	if (!sheet) return [];
	const load = new Map((sheets.get('gpu.gpu')?.rows || []).map((row) => [row.id, lately(row, row.last + 1)]));
	const now = nowOf(sheet);
	const others = medianOf(known(now.map(({ value }) => value)));
	const usual = new Map(sheet.rows.map((row) => [row, Math.max(others, medianOf(known(row.cells)))]));
	const isSlow = (row, value) => value < CLOCK * usual.get(row);
	return finding('throttled', sheet, now.filter(({ row, value }) => load.get(row.id) >= LOADED && isSlow(row, value)),
		isSlow, others);
}

function hot(sheets) {
	const sheet = sheets.get('gpu.temp');
	const found = sheet ? oddRows(sheet.rows, sheet.grid, sheet.metric.unit).filter(({ value, middle }) => value > middle)
		: [];
	const isHot = (row, value) => value > (found.find((one) => one.row === row).value + found[0].middle) / 2;
	return found.length ? finding('hot', sheet, found, isHot, found[0].middle) : [];
}

/* sheets: by the id of their metric. [{kind, unit, rows: [{row, value, since}], others}] */
export function standsOut(sheets) {
	return [idle, throttled, hot].flatMap((look) => look(sheets));
}
