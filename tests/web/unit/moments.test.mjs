import assert from 'node:assert/strict';
import { test } from 'node:test';

process.env.TZ = 'Asia/Kathmandu'; /* 5 h 45 min ahead */
const looks = { times: '' };
globalThis.document = { documentElement: { dataset: looks } };
const { clock, day, localMoment, midnight, moment, wholeMoment, zonedMoment } = await import('../../../web-static/js/base/moments.js');
const { clockTicks } = await import('../../../web-static/js/run/clock_ticks.js');
const { timeLabels, timeTicks } = await import('../../../web-static/js/chart/line/axis.js');

const AT = '2026-03-01T20:30:05.250Z';
const inTurn = (tell) => ['', 'utc'].map((times) => {
	looks.times = times;
	return tell();
});

test('a moment is told by the time of whoever looks, or by UTC', () => {
	assert.deepEqual(inTurn(() => wholeMoment(AT)), ['2026-03-02 02:15:05', '2026-03-01 20:30:05']);
	assert.deepEqual(inTurn(() => day(AT)), ['2026-03-02', '2026-03-01']);
	assert.deepEqual(inTurn(() => clock(AT, false)), ['02:15', '20:30']);
	assert.deepEqual(inTurn(() => moment(AT, Date.parse(AT) + 1000)), ['02:15:05', '20:30:05']);
	assert.deepEqual(inTurn(() => moment(AT, Date.parse(AT) + 2 * 86400000)), ['2026-03-02 02:15:05', '2026-03-01 20:30:05']);
	assert.deepEqual(inTurn(() => new Date(midnight(2026, 2, 1)).toISOString()), ['2026-02-28T18:15:00.000Z', '2026-03-01T00:00:00.000Z']);
});

test('whose time it is is said where it is not one\'s own, and on hover', () => {
	assert.deepEqual(inTurn(() => localMoment(AT)), ['2026-03-02 02:15:05', '2026-03-01 20:30:05 UTC']);
	assert.deepEqual(inTurn(() => zonedMoment(AT)), ['2026-03-02 02:15:05 UTC+05:45', '2026-03-01 20:30:05 UTC']);
});

test('axes have round times of it', () => {
	const from = Date.parse('2026-03-01T20:10:00Z');
	assert.deepEqual(inTurn(() => clockTicks(from, from + 3 * 3600000, 4)[0].label), ['02:00', '21:00']);
	const marks = () => timeLabels(timeTicks(from / 1000, from / 1000 + 8 * 3600, 9));
	assert.deepEqual(inTurn(() => marks()[0]), ['02:00', '21:00']);
	assert.deepEqual(inTurn(() => marks().filter((label) => label.includes('-'))), [[], ['03-02']]);
	const parts = (seconds) => inTurn(() => timeLabels(timeTicks(from / 1000, from / 1000 + seconds, 2)).join(' '))[1];
	assert.equal(parts(1), '20:10:00.0 20:10:00.5 20:10:01.0');
	assert.match(parts(0.1), /^20:10:00\.00 20:10:00\.05/);
	assert.equal(parts(2), '20:10:00 20:10:01 20:10:02', 'no two alike');
});
