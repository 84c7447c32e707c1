/* Members of groups as thin lines: who they are, and how many there is room for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { questionOf } from '../../../web-static/js/chart/line_asking.js';
import { READ_MOST, membersOf, placesOf, readMembers } from '../../../web-static/js/chart/member_runs.js';
import { makeWindow } from './browser.mjs';

makeWindow();
const { MEMBERS_MOST, roomFor } = await import('../../../web-static/js/chart/member_lines.js');

const group = (name, own, more = {}) => ({ name, slot: 1, color: null, dash: 2, of: { own }, ...more });
const SMALL = group('small', { 'config.arch': 'small', 'config.n': null });
const LARGE = group('large', { 'config.arch': 'large', 'config.n': 1 });

test('members: of the list by what all of a group have; of words and numbers that look alike each its own', () => {
	const items = [['a', ['small', null]], ['b', ['small']], ['c', ['large', 1]], ['d', ['large', '1']], ['e', ['other', 1]]]
		.map(([id, values]) => ({ id, display_name: id === 'c' ? 'see' : '', values }));
	assert.deepEqual(placesOf([SMALL, LARGE]).keys, ['config.arch', 'config.n']);
	assert.deepEqual(membersOf([SMALL, LARGE], items).map(({ id, name, group: of, slot, dash }) => [id, name, of, slot, dash]),
		[['a', 'a', 'small', 1, 2], ['c', 'see', 'large', 1, 2]]);
	assert.deepEqual(membersOf([{ name: 'named', members: ['x', 'y'] }], []).map(({ id }) => id), ['x', 'y']);
});

test('members: one question at most, and none where their ids are known', async () => {
	const asked = [];
	const ask = async (method, path) => {
		asked.push(decodeURIComponent(path));
		return { status: 200, body: { items: [{ id: 'a', values: ['small', null] }], next_cursor: 'more' } };
	};
	const page = { path: 'p', scope: { filter: 'has:loss' }, groups: [SMALL, LARGE] };
	const { members, isCut } = await readMembers(page, ask);
	assert.deepEqual([members.map(({ id }) => id), isCut], [['a'], true]);
	await readMembers({ path: 'p', groups: [{ name: 'named', members: ['x'] }] }, ask);
	assert.deepEqual(asked, [`p/runs?filter=has:loss&order=-created_at&keys=config.arch,config.n&limit=${READ_MOST}`]);
	assert.equal((await readMembers(page, async () => ({ status: 500 }))).fault.status, 500);
});

test('members: so many lines, fewer where there are many buckets, and no more runs than one question takes', () => {
	assert.equal(MEMBERS_MOST, 200);
	assert.equal(roomFor({ keys: 1, shown: 0, buckets: 2500 }), 200);
	assert.equal(roomFor({ keys: 1, shown: 0, buckets: 2560 }), 195);
	assert.equal(roomFor({ keys: 1, shown: 801, buckets: 640 }), 199);
	assert.equal(roomFor({ keys: 32, shown: 1001, buckets: 640 }), 0);
});

test('members: they are asked for with what is shown', () => {
	const panel = { keys: ['loss'], look: { x: '_step' }, spec: {}, page: { runs: [{ id: 'a' }], groups: [] },
		members: { now: () => ({ runs: (buckets) => [`of ${buckets}`] }) } };
	assert.deepEqual(questionOf(panel, 600).runs, ['a', 'of 640']);
});
