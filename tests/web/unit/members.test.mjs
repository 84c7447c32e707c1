/* Members of groups as thin lines: who they are, and how many there is room for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { questionOf } from '../../../web-static/js/chart/line/line_asking.js';
import { ALONE_MOST, READ_MOST, membersIn, placesOf, readMembers } from '../../../web-static/js/chart/data/member_runs.js';
import { makeWindow } from './browser.mjs';

makeWindow();
const { AGAIN_MS, memberList } = await import('../../../web-static/js/chart/data/member_list.js');
const { MEMBERS_MOST, roomFor } = await import('../../../web-static/js/chart/line/member_lines.js');

const group = (name, own, more = {}) => ({ name, slot: 1, color: null, dash: 2, of: { own }, ...more });
const SMALL = group('small', { 'config.arch': 'small', 'config.n': 0 });
const NONE = group('none', { 'config.arch': 'small', 'config.n': null }, { filter: 'config.arch:small not has:config.n' });
const LARGE = group('large', { 'config.arch': 'large', 'config.n': 1 });

test('members: of the list by what all of a group have; of words and numbers that look alike each its own', () => {
	const items = [['a', ['small', 0]], ['b', ['small', null]], ['c', ['large', 1]], ['d', ['large', '1']], ['e', ['other', 1]]]
		.map(([id, values]) => ({ id, display_name: id === 'c' ? 'see' : '', values }));
	assert.deepEqual(placesOf([SMALL, LARGE]).keys, ['config.arch', 'config.n']);
	assert.deepEqual(membersIn([SMALL, LARGE], items).map(({ id, name, group: of, slot, dash }) => [id, name, of, slot, dash]),
		[['a', 'a', 'small', 1, 2], ['c', 'see', 'large', 1, 2]]);
});

test('members: one question at most, and none where their ids are known', async () => {
	const asked = [];
	const ask = async (method, path) => {
		asked.push(decodeURIComponent(path));
		return { status: 200, body: { items: [{ id: 'a', values: ['small', 0] }], next_cursor: 'more' } };
	};
	const page = { path: 'p', scope: { filter: 'has:loss', counted: 'has:loss' }, groups: [SMALL, LARGE] };
	const { members, isCut } = await readMembers(page, ask);
	assert.deepEqual([members.map(({ id }) => id), isCut], [['a'], true]);
	const named = await readMembers({ path: 'p', groups: [{ name: 'named', members: ['x', 'y'] }] }, ask);
	assert.deepEqual(named.members.map(({ id }) => id), ['x', 'y']);
	assert.deepEqual(asked, [`p/runs?filter=has:loss&keys=config.arch,config.n&limit=${READ_MOST}&order=-created_at`]);
	assert.equal((await readMembers(page, async () => ({ status: 500 }))).fault.status, 500);
});

test('members: what is null, or not there, the list does not tell apart: such a group is asked for by itself', async () => {
	const asked = [];
	const ask = async (method, path) => {
		const query = Object.fromEntries(new URL(path, 'http://host').searchParams);
		asked.push(query.filter);
		const items = query.keys ? [['a', ['small', 0]], ['b', ['small', null]]] : [['b', undefined]];
		return { status: 200, body: { items: items.map(([id, values]) => ({ id, values })), next_cursor: null } };
	};
	const page = { path: 'p', scope: { filter: 'has:loss', counted: 'has:loss' }, groups: [SMALL, NONE] };
	const { members, isCut } = await readMembers(page, ask);
	assert.deepEqual([members.map(({ id, group: of }) => [id, of]), isCut], [[['a', 'small'], ['b', 'none']], false]);
	assert.deepEqual(asked, ['has:loss', NONE.filter]);
	await readMembers({ ...page, groups: [NONE] }, ask);
	assert.deepEqual(asked.slice(2), [NONE.filter]);
});

test('members: of groups that are asked for by themselves only some are, and what fails takes nothing from the others', async () => {
	const alone = (count) => ({ path: 'p', groups: [SMALL, ...Array.from({ length: count }, () => NONE)] });
	let asked = 0;
	const ask = async () => ({ status: 200, body: { items: [{ id: `r${asked++}`, values: ['small', 0] }], next_cursor: null } });
	assert.deepEqual([(await readMembers(alone(ALONE_MOST), ask)).isCut, asked], [false, 1 + ALONE_MOST]);
	assert.deepEqual([(await readMembers(alone(ALONE_MOST + 1), ask)).isCut, asked], [true, 2 * (1 + ALONE_MOST)]);
	asked = 0;
	const failing = async () => asked < 3 ? ask() : { status: 503 };
	const { members, isCut, fault } = await readMembers(alone(ALONE_MOST), failing);
	assert.deepEqual([members.map(({ id }) => id), isCut, fault.status], [['r0', 'r1', 'r2'], true, 503]);
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

const settled = async () => { for (let at = 0; at < 20; at++) await null; };

/* A page whose list answers when the test says so: answer(nth, body) or, without a body, not. */
function madeList(t) {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const open = [];
	const page = { path: 'p', scope: { counted: 'a' }, groups: [SMALL] };
	const list = memberList(page, () => new Promise((resolve) => open.push(resolve)));
	const answer = async (nth, items) => {
		open[nth](items ? { status: 200, body: { items, next_cursor: null } } : { status: 500 });
		await settled();
	};
	return { page, list, open, answer };
}

const small = (id) => ({ id, values: ['small', 0] });

test('members: read once for all panels of a page, one reading at a time, and told where they are others', async (t) => {
	const { page, list, open, answer } = madeList(t);
	const told = [];
	const [one, other] = ['one', 'other'].map((name) => (isOther) => told.push([name, isOther]));
	assert.equal(memberList(page), list);
	list.join(one);
	list.join(other);
	list.join(one);
	assert.equal(open.length, 1);
	await answer(0, [small('a')]);
	assert.deepEqual(told, [['one', true], ['other', true]]);
	assert.deepEqual(list.now().known.members.map(({ id }) => id), ['a']);
	t.mock.timers.tick(AGAIN_MS / 2);
	assert.equal(open.length, 1);
	t.mock.timers.tick(AGAIN_MS / 2);
	await answer(1, [small('a')]);
	assert.equal(told.length, 2, 'the same is not told');
});

test('members: of an older question neither who they are nor its fault is taken; then the newer is asked', async (t) => {
	const { page, list, open, answer } = madeList(t);
	const told = [];
	const one = (isOther) => told.push(isOther);
	list.join(one);
	page.scope = { counted: 'b' };
	list.join(one);
	assert.equal(open.length, 1, 'not beside the one under way');
	await answer(0);
	assert.deepEqual([told, list.now()], [[], { known: null, fault: null }]);
	t.mock.timers.tick(0);
	assert.equal(open.length, 2);
	await answer(1, [small('b')]);
	assert.deepEqual(told, [true]);
	page.scope = { counted: 'c' };
	assert.equal(list.now().known, null);
});

test('members: a fault asks for no lines, and is tried again while a panel wants them', async (t) => {
	const { list, open, answer } = madeList(t);
	const told = [];
	const one = (isOther) => told.push(isOther);
	list.join(one);
	await answer(0);
	assert.deepEqual([told, list.now().fault.status], [[false], 500]);
	t.mock.timers.tick(5000);
	await answer(1);
	assert.deepEqual(told, [false], 'told once');
	list.leave(one);
	t.mock.timers.tick(60000);
	await settled();
	assert.equal(open.length, 2, 'nobody draws them');
	list.join(one);
	assert.equal(open.length, 3);
	await answer(2, [small('a')]);
	assert.deepEqual([told, list.now().fault], [[false, true], null]);
});
