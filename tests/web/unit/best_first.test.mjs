import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow('http://cairn.test/ann/p');
const { bestFirst, isLowerByName } = await import('../../../web-static/js/list/best_first.js');

test('which metrics are better where they are lower, by their names', () => {
	for (const key of ['loss', 'val/loss', 'train_loss.min', 'LogLoss', 'val/err', 'err_rate', 'top1_error', 'perplexity', 'val.rmse', 'WER'])
		assert.equal(isLowerByName(key), true, key);
	for (const key of ['acc', 'val/f1', 'reward', 'fidelity', 'merit', 'accuracy', 'rows/s', 'number'])
		assert.equal(isLowerByName(key), false, key);
});

test('the project says it, then the definitions of runs, then the name', async () => {
	const asked = [];
	globalThis.fetch = async (url) => {
		asked.push(new URL(url).pathname);
		if (asked.at(-1).endsWith('/config')) return Response.json([{ 1: 'val/loss', 8: 2 }, { 1: 'score', 8: 1 }, { 1: 'cost', 7: [1] }]);
		return Response.json({ directions: [{ key: 'score', better: 'higher' }] });
	};
	const best = bestFirst({ entity: 'ann', project: 'p' }, () => Array.from({ length: 9 }, (_, n) => ({ id: `r${n}` })));
	const found = {};
	for (const key of ['summary.val/loss', 'summary.score', 'min(cost)', 'summary.cost.min', 'summary.train/loss', 'summary.acc', 'config.loss', 'name'])
		found[key] = await best.isLowerBest(key);
	assert.deepEqual(found, { 'summary.val/loss': false, 'summary.score': false, 'min(cost)': true, 'summary.cost.min': true,
		'summary.train/loss': true, 'summary.acc': false, 'config.loss': false, name: false });
	assert.equal(asked.length, 5, 'read once, of few runs');
});

test('is read again while no run was there or an answer failed, and a click does not wait for a late one', async () => {
	let status = 500;
	const asked = [];
	globalThis.fetch = async (url) => {
		asked.push(new URL(url).pathname);
		return asked.at(-1).endsWith('/config') ? Response.json([{ 1: 'gain', 8: 1 }], { status }) : Response.json({ directions: [] });
	};
	let runs = [];
	const best = bestFirst({ entity: 'ann', project: 'p' }, () => runs);
	assert.equal(await best.isLowerBest('summary.gain'), false);
	runs = [{ id: 'r' }];
	await best.isLowerBest('summary.gain');
	status = 200;
	assert.equal(await best.isLowerBest('summary.gain'), true, 'as the run defines it');
	const before = asked.length;
	await best.isLowerBest('summary.gain');
	assert.equal(asked.length, before);

	globalThis.fetch = () => new Promise(() => {});
	assert.equal(await bestFirst({ entity: 'ann', project: 'p' }, () => runs).isLowerBest('summary.loss'), true, 'by its name');
});
