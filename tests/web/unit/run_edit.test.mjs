import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { editRun, tagChanges } = await import('../../../web-static/js/list/model/run_edit.js');

/* A server that has one run; others change it when they are told to, each time before what is sent comes. */
function serve(run, others = []) {
	const sent = [];
	let version = 1;
	globalThis.fetch = async (url, { method, headers, body }) => {
		if (method === 'GET') return Response.json(run, { headers: { ETag: `"${version}"` } });
		const theirs = others.shift();
		if (theirs) {
			Object.assign(run, theirs);
			version++;
		}
		sent.push(JSON.parse(body));
		if (headers['If-Match'] !== `"${version}"`) return Response.json({ title: 'changed' }, { status: 412 });
		return Response.json(Object.assign(run, JSON.parse(body)), { headers: { ETag: `"${++version}"` } });
	};
	return sent;
}

test('what somebody else changed elsewhere in the run is no conflict', async () => {
	const run = { notes: 'before', group: 'g' };
	const sent = serve(run, [{ group: 'h' }, { group: 'i' }]);
	const { answer } = await editRun('runs/r1', { notes: 'mine' }, { notes: 'before' });
	assert.equal(answer.status, 200);
	assert.deepEqual(run, { notes: 'mine', group: 'i' });
	assert.equal(sent.length, 3);
});

test('what somebody else changed there is shown and not written over', async () => {
	const run = { notes: 'before', group: 'g' };
	serve(run, [{ notes: 'theirs' }]);
	const { answer, theirs, names } = await editRun('runs/r1', { notes: 'mine', group: 'h' }, { notes: 'before', group: 'g' });
	assert.equal(answer, undefined);
	assert.deepEqual([theirs.notes, names], ['theirs', ['notes']]);
	assert.deepEqual(run, { notes: 'theirs', group: 'g' });
	assert.equal((await editRun('runs/r1', { notes: 'mine' }, theirs)).answer.status, 200);
	assert.equal(run.notes, 'mine');
});

test('who wrote the same is in no conflict, and who cannot be reached is told', async () => {
	serve({ notes: 'both' });
	assert.equal((await editRun('runs/r1', { notes: 'both' }, { notes: 'before' })).answer.status, 200);
	globalThis.fetch = async () => Response.json({ title: 'gone' }, { status: 410 });
	assert.equal((await editRun('runs/r1', { notes: 'mine' }, { notes: 'before' })).answer.status, 410);
});

test('tags are put on and taken off one by one', () => {
	assert.deepEqual(tagChanges(['a', 'b'], ['a', 'c']), { remove_tags: ['b'], add_tags: ['c'] });
	assert.deepEqual(tagChanges(['a', 'b'], ['a', 'b']), { remove_tags: [], add_tags: [] });
	assert.deepEqual(tagChanges([], ['c']), { remove_tags: [], add_tags: ['c'] });
	assert.deepEqual(tagChanges(['a', 'b'], ['b', 'a']), { remove_tags: ['a', 'b'], add_tags: ['b', 'a'] }, 'another order');
});
