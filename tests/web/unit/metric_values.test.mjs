import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { metricColumn, metricKey, metricOf, slotOf } = await import('../../../web-static/js/list/model/metric_column.js');
const { metricValues } = await import('../../../web-static/js/list/model/metric_values.js');
const { readView, writeView } = await import('../../../web-static/js/list/model/run_view.js');

const settled = () => new Promise(setImmediate);
const runs = (...rows) => rows.map((count, at) => ({ id: `r${at}`, rows: count }));

/* Of each run and key the number of questions so far; what is held is answered when it is let go. */
function serve() {
	const server = { asked: [], held: [], holds: false };
	server.ask = async (method, path) => {
		const asked = asking(path);
		server.asked.push(asked);
		const number = server.asked.length;
		if (server.holds) await new Promise((done) => server.held.push(done));
		const values = (asked.keys ?? asked.of).map((_, at) => at ? null : { min: number, value: number });
		return { status: 200, body: { items: asked.ids.filter((id) => id !== 'r9')
			.map((id) => asked.keys ? { id, metrics: values } : { id, goal: 'min', best: { value: 0.5, step: 3 }, values }) } };
	};
	return server;
}

/* The query of a question. */
function asking(path) {
	const { searchParams } = new URL(path, 'http://host');
	return Object.fromEntries([...searchParams].map(([name, value]) => [name, /^(ids|keys|of)$/.test(name) ? value.split(',') : value]));
}

const over = (...keys) => keys.map((key) => ({ how: 'min', key }));
const [loss, acc] = over('loss', 'acc');

test('the form of a column', () => {
	assert.deepEqual(metricOf('min(train/loss)'), { how: 'min', key: 'train/loss' });
	assert.deepEqual(metricOf('mean(a(b))'), { how: 'mean', key: 'a(b)' });
	assert.deepEqual(metricOf('a.b@best(c/d)'), { how: 'at', key: 'a.b', goal: 'best', by: 'c/d' });
	assert.deepEqual(metricOf('a@min(b@c)'), { how: 'at', key: 'a', goal: 'min', by: 'b@c' });
	assert.deepEqual(['min(a,b)', 'a,b@best(c,d)'].map(metricOf), [{ how: 'min', key: 'a,b' }, { how: 'at', key: 'a,b', goal: 'best', by: 'c,d' }]);
	assert.equal(slotOf(metricOf('a@max(b)')), 'a@max(b)');
	assert.deepEqual(['summary.min(loss)', 'best(loss)', 'min()', 'min(loss', 'config.lr', '@best(a)', 'a@best()'].map(metricOf), Array(7).fill(null));
	assert.deepEqual(['last(a.b)', 'summary.a.b', 'config.a', 'state'].map(metricKey), ['a.b', 'a.b', null, null]);
	assert.deepEqual([metricColumn('', 'a'), metricColumn('max', 'a')], ['summary.a', 'max(a)']);
	const view = readView(new URLSearchParams({ cols: '*min(loss)@90,mean(a@20),a@best(b)@80' }));
	assert.deepEqual(view.columns, [{ key: 'min(loss)', pinned: true, width: 90 }, { key: 'mean(a@20)', pinned: false, width: null },
		{ key: 'a@best(b)', pinned: false, width: 80 }]);
	assert.equal(writeView({ columns: view.columns }).cols, '*min(loss)@90,mean(a@20),a@best(b)@80');
});

test('of those that are seen what is not known, or has rows since, in one question', async () => {
	const server = serve();
	const came = [];
	const values = metricValues('/p', (ids) => came.push([...ids]), { ask: server.ask });
	await values.read(runs(1, 1), over('loss', 'acc'));
	assert.deepEqual(server.asked, [{ ids: ['r0', 'r1'], keys: ['loss', 'acc'] }]);
	assert.deepEqual([values.of('r0', loss).min, values.of('r0', acc), values.of('r7', loss)], [1, null, null]);
	await values.read(runs(1, 2, 1), over('loss'));
	assert.deepEqual(server.asked[1].ids, ['r1', 'r2']);
	assert.deepEqual([values.of('r0', loss).min, values.of('r1', loss).min], [1, 2]);
	await values.read(runs(1, 2, 1), over('loss'));
	assert.equal(server.asked.length, 2);
	assert.deepEqual(came, [['r0', 'r1'], ['r1', 'r2']]);
	values.stop();
});

test('many runs and keys are several questions, as large as the server takes', async () => {
	const server = serve();
	const values = metricValues('/p', () => {}, { ask: server.ask });
	await values.read(runs(...Array(1001).fill(1)), over('a'));
	assert.deepEqual(server.asked.map((one) => one.ids.length), [200, 200, 200, 200, 200, 1]);
	await values.read(runs(2), over(...Array.from({ length: 65 }, (_, at) => `k${at}`)));
	assert.deepEqual(server.asked.slice(6).map((one) => one.keys.length), [64, 1]);
	values.stop();
});

test('an old answer does not write over a newer one', async () => {
	const server = serve();
	const values = metricValues('/p', () => {}, { ask: server.ask });
	server.holds = true;
	const older = values.read(runs(1), over('loss'));
	const newer = values.read(runs(2), over('loss'));
	await settled();
	server.held[1]();
	await newer;
	server.held[0]();
	await older;
	assert.equal(values.of('r0', loss).min, 2);
	values.stop();
});

test('what cannot be read is told apart from what there is not, and is known when it comes', async () => {
	const came = [];
	let isAway = true;
	const server = serve();
	const ask = async (...asked) => isAway ? { status: 503, body: null } : server.ask(...asked);
	const values = metricValues('/p', (ids) => came.push([...ids]), { ask });
	assert.deepEqual([values.isKnown('r0', loss), values.isFailed('r0', loss)], [false, false], 'nobody asked');
	assert.equal((await values.read(runs(1), over('loss'))).status, 503);
	assert.equal(values.of('r0', loss), null);
	assert.deepEqual([values.isKnown('r0', loss), values.isFailed('r0', loss), came], [false, true, [['r0']]]);
	isAway = false;
	assert.equal(await values.read(runs(1), over('loss')), null);
	assert.deepEqual([values.of('r0', loss).min, values.isFailed('r0', loss)], [1, false]);
	isAway = true;
	assert.equal((await values.read(runs(2), over('loss'))).status, 503);
	assert.deepEqual([values.of('r0', loss).min, values.isFailed('r0', loss)], [1, true], 'what it was stays');
	values.stop();
});

/* As the server: a question with such a name is refused as a whole. */
function refusing(server) {
	return async (method, path) => {
		const answer = await server.ask(method, path);
		return asking(path).keys.includes('bad') ? { status: 400, body: { field: 'keys' } } : answer;
	};
}

test('a key that is refused is not asked for again, and does not take the others with it', async () => {
	const server = serve();
	const values = metricValues('/p', () => {}, { ask: refusing(server) });
	const [bad] = over('bad');
	assert.equal(await values.read(runs(1), over('bad', 'loss', 'acc')), null);
	assert.deepEqual(server.asked.map(({ keys }) => keys), [['bad', 'loss', 'acc'], ['bad'], ['loss'], ['acc']]);
	assert.deepEqual([values.of('r0', loss).min, values.of('r0', acc).min], [3, 4]);
	assert.deepEqual([values.isKnown('r0', bad), values.isFailed('r0', bad), values.isFailed('r0', loss)], [false, true, false]);
	await values.read(runs(2), over('bad', 'loss'));
	assert.deepEqual(server.asked.slice(4).map(({ keys }) => keys), [['loss']]);
	assert.equal(await values.read(runs(3), over('bad')), null);
	assert.equal(server.asked.length, 5);
	values.stop();
});

test('an answer that is not of the metrics refuses none of them', async () => {
	const values = metricValues('/p', () => {}, { ask: async () => ({ status: 400, body: { field: 'ids' } }) });
	assert.equal((await values.read(runs(1), over('loss', 'acc'))).status, 400);
	assert.equal((await values.read(runs(1), over('loss'))).status, 400);
	values.stop();
});

test('ids that are long are asked for in several questions', async () => {
	const server = serve();
	const values = metricValues('/p', () => {}, { ask: server.ask });
	const long = Array.from({ length: 100 }, (_, at) => ({ id: `\u00e4`.repeat(100) + at, rows: 1 }));
	await values.read(long, over('loss'));
	assert.deepEqual(server.asked.map(({ ids }) => ids.length), [19, 19, 19, 19, 19, 5]);
	values.stop();
});

test('whose best step it is may have any name', async () => {
	const server = serve();
	const values = metricValues('/p', () => {}, { ask: server.ask });
	await values.read(runs(1), [{ ...metricOf('loss@best(acc)'), by: 'a\\b' }]);
	assert.equal(server.asked[0].by, 'a\\\\b');
	values.stop();
});

test('values at the best step of another are asked for by whose it is, of fewer runs at once', async () => {
	const server = serve();
	const values = metricValues('/p', () => {}, { ask: server.ask });
	const metrics = ['a@best(acc)', 'b@best(acc)', 'a@min(loss)', 'min(loss)'].map(metricOf);
	await values.read(runs(...Array(51).fill(1)), metrics);
	assert.deepEqual(server.asked.map(({ ids, ...query }) => [ids.length, query]), [
		[50, { keys: ['loss'] }], [50, { by: 'acc', of: ['a', 'b'] }], [50, { by: 'loss', goal: 'min', of: ['a'] }],
		[1, { keys: ['loss'] }], [1, { by: 'acc', of: ['a', 'b'] }], [1, { by: 'loss', goal: 'min', of: ['a'] }]]);
	assert.deepEqual(values.of('r1', metrics[2]), { min: 3, value: 3, best: { value: 0.5, step: 3 }, goal: 'min' });
	assert.deepEqual([values.of('r1', metrics[1]), values.isKnown('r1', metrics[1]), values.of('r9', metrics[0])], [null, true, null]);
	values.stop();
});

test('where answers take long it asks more seldom', async (t) => {
	let now = 0;
	t.mock.timers.enable({ apis: ['setTimeout'] });
	t.mock.method(performance, 'now', () => now);
	const settle = async () => { for (let at = 0; at < 20; at++) await null; };
	const pass = async (ms) => {
		now += ms;
		t.mock.timers.tick(ms);
		await settle();
	};
	const server = serve();
	const values = metricValues('/p', () => {}, { ask: server.ask });
	server.holds = true;
	values.want(runs(1), over('loss'));
	await pass(0);
	await pass(3000);
	server.held[0]();
	await settle();
	values.want(runs(2), over('loss'));
	await pass(11999);
	assert.equal(server.asked.length, 1);
	await pass(1);
	assert.equal(server.asked.length, 2);
	values.stop();
});
