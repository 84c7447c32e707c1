import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { metricColumn, metricKey, metricOf } = await import('../../../web-static/js/runs/metric_column.js');
const { metricValues } = await import('../../../web-static/js/runs/metric_values.js');
const { readView, writeView } = await import('../../../web-static/js/runs/run_view.js');

const settled = () => new Promise(setImmediate);
const runs = (...rows) => rows.map((count, at) => ({ id: `r${at}`, rows: count }));

/* Of each run and key the number of questions so far; what is held is answered when it is let go. */
function serve() {
	const server = { asked: [], held: [], holds: false };
	server.ask = async (method, path, body) => {
		server.asked.push(body);
		const number = server.asked.length;
		if (server.holds) await new Promise((done) => server.held.push(done));
		const columns = Object.fromEntries(body.panels[0].columns.map((name) => [name, [number]]));
		return { status: 200, body: { pieces: [{ piece: 'panel' }, ...body.runs.filter((id) => id !== 'r9')
			.map((run) => ({ piece: 'series', run, key: body.panels[0].keys[0], columns }))] } };
	};
	return server;
}

test('the form of a column', () => {
	assert.deepEqual(metricOf('min(train/loss)'), { how: 'min', key: 'train/loss' });
	assert.deepEqual(metricOf('mean(a(b))'), { how: 'mean', key: 'a(b)' });
	assert.deepEqual(['summary.min(loss)', 'best(loss)', 'min()', 'min(a,b)', 'min(loss', 'config.lr'].map(metricOf), Array(6).fill(null));
	assert.deepEqual(['last(a.b)', 'summary.a.b', 'config.a', 'state'].map(metricKey), ['a.b', 'a.b', null, null]);
	assert.deepEqual([metricColumn('', 'a'), metricColumn('max', 'a')], ['summary.a', 'max(a)']);
	const view = readView(new URLSearchParams({ cols: '*min(loss)@90,mean(a@20)' }));
	assert.deepEqual(view.columns, [{ key: 'min(loss)', pinned: true, width: 90 }, { key: 'mean(a@20)', pinned: false, width: null }]);
	assert.equal(writeView({ columns: view.columns }).cols, '*min(loss)@90,mean(a@20)');
});

test('of those that are seen what is not known, or has rows since, in one question', async () => {
	const server = serve();
	const came = [];
	const values = metricValues('/p', (ids) => came.push([...ids]), { ask: server.ask });
	await values.read(runs(1, 1), ['loss', 'acc']);
	assert.deepEqual(server.asked, [{ runs: ['r0', 'r1'], format: 'json',
		panels: [{ keys: ['loss', 'acc'], buckets: 1, columns: ['last', 'min', 'max', 'mean', 'n', 'nan', 'pinf', 'ninf'] }] }]);
	assert.deepEqual([values.of('r0', 'loss').min, values.of('r0', 'acc'), values.of('r7', 'loss')], [1, null, null]);
	await values.read(runs(1, 2, 1), ['loss']);
	assert.deepEqual(server.asked[1].runs, ['r1', 'r2']);
	assert.deepEqual([values.of('r0', 'loss').min, values.of('r1', 'loss').min], [1, 2]);
	await values.read(runs(1, 2, 1), ['loss']);
	assert.equal(server.asked.length, 2);
	assert.deepEqual(came, [['r0', 'r1'], ['r1', 'r2']]);
	values.stop();
});

test('many runs and keys are several questions, as large as the server takes', async () => {
	const server = serve();
	const values = metricValues('/p', () => {}, { ask: server.ask });
	await values.read(runs(...Array(1001).fill(1)), ['a']);
	assert.deepEqual(server.asked.map((one) => one.runs.length), [1000, 1]);
	await values.read(runs(...Array(500).fill(2)), Array.from({ length: 64 }, (_, at) => `k${at}`));
	assert.deepEqual(server.asked.slice(2).map((one) => one.runs.length), [312, 188]);
	values.stop();
});

test('an old answer does not write over a newer one', async () => {
	const server = serve();
	const values = metricValues('/p', () => {}, { ask: server.ask });
	server.holds = true;
	const older = values.read(runs(1), ['loss']);
	const newer = values.read(runs(2), ['loss']);
	await settled();
	server.held[1]();
	await newer;
	server.held[0]();
	await older;
	assert.equal(values.of('r0', 'loss').min, 2);
	values.stop();
});

test('what cannot be had is told, and there is nothing', async () => {
	const values = metricValues('/p', () => assert.fail(), { ask: async () => ({ status: 503, body: null }) });
	assert.equal((await values.read(runs(1), ['loss'])).status, 503);
	assert.equal(values.of('r0', 'loss'), null);
	values.stop();
});
