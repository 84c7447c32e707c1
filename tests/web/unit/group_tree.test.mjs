import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { groupTree } = await import('../../../web-static/js/list/model/group_tree.js');

const GROUPS = 10;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/* Ten groups of ten each; `most`: how many questions were under way at once, `asked`: what was asked for. */
function treeOf() {
	const made = { most: 0, asked: [], count: 1, underWay: [] };
	made.answer = () => made.underWay.shift()?.();
	made.tree = groupTree({ keys: ['a', 'b'], async askGroups(within, key) {
		made.asked.push([...within.map(({ group }) => group.group), key].join('/'));
		await new Promise((resolve) => {
			made.underWay.push(resolve);
			made.most = Math.max(made.most, made.underWay.length);
		});
		return Array.from({ length: GROUPS }, (_, at) => ({ group: String(at), count: made.count }));
	}, askRuns() {}, changed() {}, failed() {} });
	/* Answers all, one at a time. */
	made.all = async (promise) => {
		for (await settle(); made.underWay.length; await settle()) made.answer();
		return promise;
	};
	return made;
}

async function allOpen() {
	const made = treeOf();
	await made.all(made.tree.start());
	await made.all(Promise.all(made.tree.groups().map((node) => made.tree.flip(node))));
	Object.assign(made, { most: 0, asked: [] });
	return made;
}

test('open groups are counted again a few at a time, each once', async () => {
	const made = await allOpen();
	made.count = 2;
	assert.equal(await made.all(made.tree.recount()), true);
	assert.deepEqual([made.most, made.asked.length, new Set(made.asked).size], [4, GROUPS + 1, GROUPS + 1]);
	const counts = made.tree.groups().flatMap((node) => [node, ...node.groups]).map(({ group }) => group.count);
	assert.deepEqual([counts.length, new Set(counts)], [GROUPS + GROUPS * GROUPS, new Set([2])]);
});

test('who asks again while it is counted has what is left of it not asked', async () => {
	const made = await allOpen();
	const first = made.tree.recount();
	await settle();
	made.answer();
	await settle();
	assert.equal(made.asked.length, 5);
	made.count = 3;
	const second = made.tree.recount();
	assert.deepEqual(await made.all(Promise.all([first, second])), [false, true]);
	assert.equal(made.asked.length, 5 + GROUPS + 1);
	assert.equal(made.tree.groups()[9].groups[9].group.count, 3);
});

test('a group that is closed while it is counted stays closed', async () => {
	const made = await allOpen();
	const done = made.tree.recount();
	await settle();
	made.answer();
	await settle();
	made.tree.flip(made.tree.groups()[0]);
	assert.equal(await made.all(done), true);
	assert.equal(made.tree.groups()[0].groups, null);
});

test('what is open is opened in the next tree a few at a time', async () => {
	const before = await allOpen();
	const next = treeOf();
	await next.all(next.tree.start());
	await next.all(next.tree.openAs(before.tree));
	assert.deepEqual([next.most, next.asked.length], [4, GROUPS + 1]);
	assert.deepEqual(next.tree.openPaths(), before.tree.openPaths());
});
