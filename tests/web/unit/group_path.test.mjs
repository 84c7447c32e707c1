import assert from 'node:assert/strict';
import test, { mock } from 'node:test';

import { groupColumn, linesOf } from '../../../web-static/js/compare/group_columns.js';
import { readGroup } from '../../../web-static/js/compare/model/group_read.js';
import { GroupValue, NOT_TOLD, ofNumbers, variedTexts } from '../../../web-static/js/compare/model/group_value.js';
import { bestOf, changeOf, plain, rowsOf, shownSections } from '../../../web-static/js/compare/model/model.js';
import { groupLine, isLineShown, lineToggled, withoutInner } from '../../../web-static/js/list/model/group_line.js';
import { pathText, readPath, selectedId, selectedPaths } from '../../../web-static/js/list/model/group_path.js';
import { groupNames } from '../../../web-static/js/list/model/group_names.js';
import { groupValueName, ownOf } from '../../../web-static/js/list/model/names.js';
import { listOf, listText } from '../../../web-static/js/base/query_text.js';
import { anyOf, filterWithin, groupFilter, listQuery } from '../../../web-static/js/list/model/run_query.js';
import { groupSlots, slotsOf } from '../../../web-static/js/list/model/group_slots.js';
import { settled } from './settled.mjs';

const within = (...pairs) => pairs.map(([key, group]) => ({ key, group: { group } }));

test('groups within groups beside a filter of a program', () => {
	const group = (key, kind, value) => ({ key, group: { group: `${kind}:${value}`, kind, value } });
	const path = [group('config.my key', 'text', 'a "b"'), group('config.n', 'null', null), group('config.lr', 'number', 0.1)];
	const filter = ' {"state": {"$in": ["failed"]}} ';
	const own = JSON.parse(filter);
	const outer = [own, { 'config.my key': 'a "b"' }, { $and: [{ 'config.n': { $exists: true } }, { 'config.n': null }] }];
	assert.deepEqual(JSON.parse(filterWithin(filter, path)), { $and: [...outer, { 'config.lr': 0.1 }] });
	assert.deepEqual(JSON.parse(filterWithin(filter, [group('config.n', 'none'), group('config.f', 'bool', true)])),
		{ $and: [own, { 'config.n': { $exists: false } }, { 'config.f': true }] });
	assert.equal(filterWithin(filter, [group('config.o', 'object', {})]), null);
	const line = groupLine({ within: path, depth: 2, ...path[2] }, filter);
	assert.deepEqual([JSON.parse(line.of.filter), line.filter], [{ $and: outer }, filterWithin(filter, path)]);
	const column = groupColumn(pathText(path), { filter });
	assert.deepEqual([column.filter, column.question.filter], [line.filter, line.of.filter]);
	const view = { filter, base: ['a', 'b'], sort: [], out: [] };
	const queries = [listQuery(view, []), listQuery(view, [], path), listQuery({ ...view, base: [] }, [])];
	assert.deepEqual(queries.map((query) => JSON.parse(query.filter)),
		[{ $and: [own, { id: { $nin: ['a', 'b'] } }] }, { $and: outer }, own]);
	assert.equal(anyOf(['a'], ['x', 'y or z']), '(id:a) or (x) or (y or z)');
	assert.deepEqual([anyOf(['a'], [filter]), anyOf([], [filter])].map((text) => JSON.parse(text)),
		[{ $or: [{ id: { $in: ['a'] } }, own] }, { $or: [own] }]);
});

test('a group is named in an address, whatever its value', () => {
	for (const value of ['text:adam', 'text:a~b,c%2C:d', 'text:', 'number:0.1', 'bool:true', 'null', 'none', 'list:["a", "b"]']) {
		const text = pathText(within(['config.a,~b', value], ['state', 'text:failed']));
		const [outer, inner] = readPath(listOf(listText(['x', text]))[1]);
		assert.deepEqual([outer.key, outer.group.group, inner.key, inner.group.value], ['config.a,~b', value, 'state', 'failed']);
	}
	assert.deepEqual(readPath('config.lr~number:0.1')[0].group, { group: 'number:0.1', kind: 'number', value: 0.1 });
	assert.deepEqual(['', 'a', '~', 'a~text:b~c'].map(readPath), [null, null, null, null]);
	const ids = ['a', selectedId(within(['state', 'text:failed'])), selectedId(within(['user', 'text:ann'], ['state', 'text:b']))];
	assert.deepEqual(selectedPaths(ids, ['state']), ['state~text:failed']);
	assert.deepEqual(selectedPaths(ids, ['user', 'state']), ['user~text:ann~state~text:b']);
});

test('a group of a comparison is asked for what it has on average as in the list', () => {
	const lr = { key: 'config.lr', group: { group: 'number:0.1', kind: 'number', value: 0.1 } };
	const opt = { key: 'config.opt', group: { group: 'text:adam', kind: 'text', value: 'adam' } };
	for (const [filter, path] of [['', [lr]], ['tag:a', [lr]], ['tag:a', [lr, opt]], ['', [opt, lr]]]) {
		const [line] = linesOf([groupColumn(pathText(path), { filter })]);
		assert.deepEqual(line.of, groupLine({ within: path, depth: path.length - 1, ...path.at(-1) }, filter).of);
	}
});

test('the eye of a group within others shows those that it is within, too', () => {
	const [outer, inner, other] = [['config.arch', 'text:moe'], ['config.opt', 'text:adam'], ['config.opt', 'text:sgd']];
	const node = (...pairs) => ({ within: within(...pairs), depth: pairs.length - 1, group: { group: pairs.at(-1)[1] } });
	const adam = node(outer, inner);
	const view = { on: [], off: [], base: [], show: '10' };
	const after = (now, place) => ({ ...now, ...lineToggled(now, adam, place) });
	const hidden = after(view, 3);
	assert.deepEqual([isLineShown(hidden, adam, 3), isLineShown(hidden, node(outer, other), 3)], [false, true]);
	assert.deepEqual(after(hidden, 3), view);
	for (const [now, place] of [[view, 20], [hidden, 20], [{ ...hidden, off: [...hidden.off, '~text%3Amoe'] }, 3]]) {
		assert.ok(!isLineShown(now, adam, place) && isLineShown(after(now, place), adam, place));
	}
	const keys = ['config.arch', 'config.opt'];
	assert.deepEqual(withoutInner([...hidden.off, '~text%3Amoe', '~text%3Aa~b', 'run'], keys), ['~text%3Amoe', '~text%3Aa~b', 'run']);
	assert.deepEqual(withoutInner(hidden.off, ['config.opt']), hidden.off);
});

const same = (value, all = 3) => new GroupValue({ all, different: 1, items: [{ value, count: all }] });
const varied = (mean) => ofNumbers(3, { count: 3, mean, min: mean - 1, max: mean + 1, std: 1 });

test('a row is the same where all runs have the same, those of groups too', () => {
	const rows = (...columns) => rowsOf(columns.map((value) => value && new Map(value === undefined ? [] : [['k', value]])))
		.map(({ isEqual }) => isEqual);
	assert.deepEqual(rows(0.1, same(0.1), same(0.1, 9)), [true]);
	assert.deepEqual(rows([1, 2], same([1, 2])), [true]);
	assert.deepEqual(rows(0.1, same(0.2)), [false]);
	assert.deepEqual(rows(varied(2)), [false]);
	assert.deepEqual(rows(2, varied(2)), [false]);
	assert.deepEqual(rows(2, ofNumbers(3, { count: 3, mean: 2, min: 2, max: 2, std: 0 })), [true]);
	assert.deepEqual(rows(2, ofNumbers(3, { count: 2, mean: 2, min: 2, max: 2, std: 0 })), [false]);
	assert.deepEqual(rows('3.12', null, '3.12'), [true]);
	const [section] = shownSections([{ id: 'environment', rows: rowsOf([new Map([['python', '3.12']]), null]) }], { isOnly: true, find: '', pins: [] });
	assert.deepEqual([section.differ, section.same, section.rows], [0, 1, []]);
	assert.equal(rowsOf([new Map([['python', '3.12']]), null])[0].values[1], NOT_TOLD);
});

test('a group is compared by its mean', () => {
	assert.deepEqual(changeOf(varied(3), 2), { absolute: 1, relative: 0.5 });
	assert.deepEqual(changeOf(same(4), varied(2)), { absolute: 2, relative: 1 });
	assert.equal(changeOf(new GroupValue({ all: 2, different: 2 }), 1), null);
	assert.deepEqual(bestOf({ values: [4, varied(3), same(5)], direction: 'lower' }), [1]);
});

test('what a group has, in words', () => {
	const items = [{ value: 'adam', count: 2 }, { value: undefined, count: 1 }];
	assert.equal(plain(new GroupValue({ all: 3, different: 2, items }), 'config'), 'adam ×2, not set ×1');
	assert.equal(plain(same([1]), 'config'), '[1]');
	assert.equal(plain(varied(2), 'summary'), '2 ± 1, 1 to 3');
	assert.deepEqual(variedTexts(ofNumbers(3, { count: 1, mean: 2, min: 2, max: 2 }), 'summary'), ['2', ', 1 of 3 runs']);
	const many = new GroupValue({ all: 9, different: 9, items: items.slice(1), numbers: { count: 9, min: 1, max: 9, mean: 5 } });
	assert.equal(plain(many, 'config'), '9 different, 1 to 9');
	const rates = new GroupValue({ ...many, numbers: { ...many.numbers, min: 0.00012345678, max: 300000 } });
	assert.equal(plain(rates, 'config'), '9 different, 0.00012345678 to 300000', 'as they were written');
	assert.equal(plain(NOT_TOLD), '');
});

test('a group is read by few questions', async () => {
	const asked = [];
	const fields = [{ field: 'config.lr', kinds: ['number'] }, { field: 'config.opt', kinds: ['object'] }, { field: 'config._wandb.m', kinds: ['list'] },
		{ field: 'summary.note', kinds: ['text'] }, ...Array.from({ length: 70 }, (_, n) => ({ field: `summary.m${n}`, kinds: ['number'] }))];
	const answers = {
		fields: () => ({ items: fields, count: fields.length }),
		groups: (query) => query.get('by') === 'state'
			? { items: [{ count: 4, numbers: (query.get('of') || '').split(',').map((_, n) => ({ count: 4, min: n, max: n, mean: n })) }], groups: 1 }
			: { items: [{ kind: 'number', value: 0.1, count: 4 }], groups: 1 },
	};
	const get = async (what, query) => {
		asked.push(query);
		return { status: 200, body: answers[what](new URLSearchParams(query)) };
	};
	const some = (items, work) => Promise.all(items.map(work));
	const told = await readGroup({ question: { filter: 'a', group_by: 'state', group: 'text:failed' }, key: 'state', get, some });
	assert.deepEqual([told.all, told.isLarge, told.summary.size, [...told.config.keys()]], [4, false, 71, ['lr']]);
	assert.equal(told.config.get('lr').only, 0.1);
	assert.equal(told.summary.get('m5').mean, 6);
	assert.equal(asked.length, 5);
	assert.ok(asked.every((query) => query.startsWith('filter=a&group_by=state&group=text%3Afailed')));
});

test('groups have hues of their own, by their names alone', () => {
	const named = (count) => Array.from({ length: count }, (_, at) => `text:value ${at}`);
	const hues = (slots) => new Set([...slots.values()].map((slot) => slot % 8));
	assert.deepEqual([...Array(9).keys()].slice(1).map((count) => hues(slotsOf(named(count))).size), [1, 2, 3, 4, 5, 6, 7, 8]);
	assert.ok([...slotsOf(named(8)).values()].every((slot) => slot < 8), 'without dashes as long as there are hues');
	assert.equal(new Set(slotsOf(named(24)).values()).size, 24);
	assert.equal(slotsOf(named(40)).size, 40);
	assert.deepEqual([...slotsOf(named(12))], [...slotsOf(named(12).reverse())], 'in whatever order they came');
});

test('names that are new move no colour that was given', () => {
	const names = Array.from({ length: 10 }, (_, at) => `text:value ${at}`);
	const before = slotsOf(names);
	const after = slotsOf(['text:a', 'text:z', ...names], before);
	assert.deepEqual([...after].slice(0, 10), [...before]);
	assert.equal(new Set(after.values()).size, 12);
	const given = new Map();
	const pairs = [within(['a', 'text:1'], ['b', 'text:x']), within(['a', 'text:2'], ['b', 'text:x'])];
	const slots = (of) => pairs.map(groupSlots(of, {}, given));
	const first = slots({ a: ['text:1', 'text:2'], b: ['text:x'] });
	assert.deepEqual(slots({ a: ['text:0', 'text:1', 'text:2'], b: ['text:0', 'text:x'] }), first);
});

test('names of groups are of the project, asked for once by each key, and again for one that is not among them', async () => {
	const asked = [];
	const items = ['text:1', 'text:2'].map((group) => ({ group }));
	const status = { 'config.c': 400 };
	let changes = 0;
	const names = groupNames(async (query) => {
		asked.push(query);
		return { status: status[new URLSearchParams(query).get('by')] ?? 200, body: { items } };
	}, () => changes++);
	const slotOf = (group) => names.slots({})(within(['config.a', group]));
	names.need('config.a');
	names.need('config.a', ['text:2']);
	await settled();
	names.need('config.a', ['text:1', 'text:2']);
	await settled();
	assert.deepEqual([asked, changes], [['by=config.a&limit=1000'], 1]);
	const two = slotOf('text:2');
	items.unshift({ group: 'text:0' });
	names.need('config.a', ['text:0', 'text:2', 'text:beyond']);
	await settled();
	names.need('config.a', ['text:0', 'text:beyond']);
	await settled();
	assert.deepEqual([asked.length, changes, slotOf('text:2')], [2, 2, two]);
	names.take('config.b', ['text:3']);
	names.need('config.b', ['text:3']);
	names.need('config.c');
	await settled();
	assert.deepEqual([asked.slice(2), changes], [['by=config.c&limit=1000'], 2], 'what was refused is left');
	names.stop();
});

test('names of groups that could not be read are asked for again', async () => {
	const answers = [{ status: 503 }, { status: 200, body: { items: [{ group: 'text:1' }] } }];
	const told = [];
	mock.timers.enable({ apis: ['setTimeout'] });
	const names = groupNames(async () => answers.shift(), () => told.push(answers.length));
	names.need('config.a');
	for (const ms of [0, 4990, 20]) {
		mock.timers.tick(ms);
		for (let at = 0; at < 3; at++) await new Promise(setImmediate);
		told.push(answers.length);
	}
	mock.timers.reset();
	assert.deepEqual(told, [1, 1, 0, 0]);
	names.stop();
});

test('keys of groups act as colour or dash, and what is not known has a colour by its name', () => {
	const names = { 'config.a': ['text:1', 'text:2'], 'config.b': ['text:x', 'text:y', 'text:z'] };
	const all = names['config.a'].flatMap((a) => names['config.b'].map((b) => within(['config.a', a], ['config.b', b])));
	const both = groupSlots(names);
	assert.equal(new Set(all.map(both).map((slot) => slot % 8)).size, 6);
	const dashed = all.map(groupSlots(names, { 'config.b': 'dash' }));
	assert.deepEqual(dashed.map((slot) => Math.floor(slot / 8)), [0, 1, 2, 0, 1, 2]);
	assert.equal(new Set(dashed.map((slot) => slot % 8)).size, 2);
	assert.deepEqual(dashed.slice(0, 3).map((slot) => slot % 8), Array(3).fill(groupSlots(names)(within(['config.a', 'text:1']))));
	const only = groupSlots(names, { 'config.a': 'panel' });
	assert.equal(only(all[0]), only(all[3]), 'one colour in each panel');
	const free = groupSlots({});
	assert.equal(free(all[0]), groupSlots({})(all[0]));
	assert.ok(Number.isInteger(free(within(['config.c', 'none']))));
});

test('a group of null is none of what is not there', () => {
	const own = ['null', 'none', 'text:null'].map((group) => ownOf(readPath(`config.n~${group}`))['config.n']);
	assert.deepEqual([own, own.map(groupValueName)], [[null, undefined, 'null'], ['null', '(no value)', 'null']]);
	const filters = [['null', null], ['none', null], ['number', 1], ['text', 'a "b"'], ['object', '{}']]
		.map(([kind, value]) => groupFilter('config.n', { kind, value }));
	assert.deepEqual(filters, ['has:config.n config.n:null', 'not has:config.n', 'config.n:1', 'config.n:"a \\"b\\""', null]);
});
