import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { metricOf } = await import('../../../web-static/js/list/model/metric_column.js');
const { groupMetrics } = await import('../../../web-static/js/list/model/group_metrics.js');

const node = (name, count = 3) => ({ group: { group: `text:${name}`, count } });
const within = ({ group }) => group.group === 'text:unsayable' ? null : { filter: null, group_by: 'state', group: group.group };
const [least, last] = [{ how: 'min', key: 'loss' }, { how: 'last', key: 'a,b' }];
const settle = async () => { for (let at = 0; at < 30; at++) await null; };

/* answers: of a question by its number, from 1. */
function watched(t, answerOf) {
	const seen = { asked: [], came: [] };
	let now = 0;
	t.mock.timers.enable({ apis: ['setTimeout'] });
	t.mock.method(performance, 'now', () => now);
	const ask = async (method, path) => {
		const query = Object.fromEntries(new URL(path, 'http://host').searchParams);
		seen.asked.push(query);
		return answerOf(seen.asked.length, query) ?? { status: 200, body: { runs: 3,
			items: query.keys.split(/(?<!\\),/).map((key) => ({ key: key.replace('\\,', ','), min: { count: 2, mean: seen.asked.length } })) } };
	};
	seen.sums = groupMetrics('/p', { within, came: (nodes) => seen.came.push(...nodes), ask });
	seen.pass = async (ms) => {
		now += ms;
		t.mock.timers.tick(ms);
		await settle();
	};
	return seen;
}

test('each group that is seen is asked for once, and again when it comes anew', async (t) => {
	const { sums, asked, came, pass } = watched(t, () => null);
	const nodes = [node('a'), node('b'), node('large', 1001), node('unsayable')];
	sums.want(nodes, [least, last]);
	await pass(0);
	assert.deepEqual(asked, ['a', 'b'].map((name) => ({ group_by: 'state', group: `text:${name}`, keys: 'loss,a\\,b' })));
	assert.deepEqual(came, nodes.slice(0, 2));
	assert.deepEqual([sums.of(nodes[0], least), sums.of(nodes[1], least), sums.of(nodes[0], last)],
		[{ count: 2, mean: 1 }, { count: 2, mean: 2 }, null]);
	assert.deepEqual(nodes.map((one) => sums.isTold(one, least)), [true, true, false, false]);
	sums.want(nodes, [least, last]);
	await pass(5000);
	assert.equal(asked.length, 2);
	const again = node('a');
	sums.want([again], [least]);
	assert.equal(sums.of(again, least).mean, 1, 'what it was stays');
	await pass(5000);
	assert.equal(sums.of(again, least).mean, 3);
	sums.want([again], [least, last]);
	await pass(5000);
	assert.equal(asked.length, 4, 'a further metric');
	sums.stop();
});

test('what is refused is left, and takes nothing with it; what fails is asked again', async (t) => {
	const answers = { 1: { status: 400, body: { field: 'keys' } }, 3: { status: 422, body: { field: 'keys' } }, 4: { status: 503, body: null } };
	const { sums, asked, pass } = watched(t, (number) => answers[number]);
	const [a, b] = [node('a'), node('b')];
	sums.want([a, b], [least, last]);
	await pass(0);
	assert.deepEqual(asked.map(({ group, keys }) => [group, keys]), [['text:a', 'loss,a\\,b'], ['text:a', 'loss'],
		['text:a', 'a\\,b'], ['text:b', 'loss,a\\,b']]);
	assert.deepEqual([sums.isFailed(a, least), sums.isFailed(a, last), sums.isFailed(b, least)], [false, true, true]);
	await pass(5000);
	assert.deepEqual(asked.slice(4).map(({ group }) => group), ['text:b']);
	assert.deepEqual([sums.isFailed(b, least), sums.of(b, least)], [false, { count: 2, mean: 5 }]);
	sums.stop();
});

test('a group that cannot be had is not asked for key by key', async (t) => {
	const answers = { 1: { status: 422, body: { field: 'filter' } }, 2: { status: 404, body: {} } };
	const { sums, asked, pass } = watched(t, (number) => answers[number]);
	const [grown, gone] = [node('grown'), node('gone')];
	sums.want([grown, gone], [least, last]);
	await pass(0);
	assert.deepEqual(asked.map(({ group }) => group), ['text:grown', 'text:gone']);
	assert.deepEqual([sums.isFailed(grown, least), sums.isFailed(grown, last), sums.isFailed(gone, least)], [true, true, true]);
	await pass(5000);
	assert.deepEqual(asked.slice(2).map(({ group }) => group), ['text:gone']);
	sums.stop();
});

test('a metric may be called as what every object has', async (t) => {
	const { sums, asked, pass } = watched(t, () => null);
	const [one, odd] = [node('a'), { how: 'min', key: 'constructor' }];
	sums.want([one], [least]);
	await pass(0);
	assert.equal(sums.of(one, odd), null);
	sums.want([one], [least, odd]);
	await pass(5000);
	assert.deepEqual([asked.length, sums.of(one, odd)], [2, { count: 2, mean: 2 }]);
	sums.stop();
});

test('what was at the best step of another is asked for by whose it is, of smaller groups', async (t) => {
	const best = (number, { of }) => of && { status: 200, body: { runs: 3, best: { count: 1 },
		values: of.split(',').map((key) => ({ count: 2, mean: `${key} ${number}` })) } };
	const { sums, asked, pass } = watched(t, best);
	const metrics = ['loss@best(acc)', 'lr@best(acc)', 'loss@min(acc)', 'min(loss)'].map(metricOf);
	const nodes = [node('a', 200), node('b', 201)];
	sums.want(nodes, metrics);
	await pass(0);
	const a = { group_by: 'state', group: 'text:a' };
	assert.deepEqual(asked, [{ ...a, keys: 'loss' }, { ...a, by: 'acc', of: 'loss,lr' }, { ...a, by: 'acc', goal: 'min', of: 'loss' },
		{ ...a, group: 'text:b', keys: 'loss' }]);
	assert.deepEqual(metrics.map((metric) => sums.of(nodes[0], metric).mean), ['loss 2', 'lr 2', 'loss 3', 1]);
	assert.deepEqual(metrics.map((metric) => sums.isTold(nodes[1], metric)), [false, false, false, true]);
	assert.deepEqual(metrics.map((metric) => sums.of(nodes[1], metric)?.mean), [undefined, undefined, undefined, 4]);
	await pass(5000);
	sums.want(nodes, metrics);
	await pass(5000);
	assert.equal(asked.length, 4, 'all of it is known');
	sums.stop();
});
