import assert from 'node:assert/strict';
import test from 'node:test';

import { csvOf } from '../../../web-static/js/base/csv.js';
import { runsTable } from '../../../web-static/js/list/model/runs_table.js';
import { listOf, listText } from '../../../web-static/js/base/query_text.js';
import { orderText, readView, sortBy, writeView } from '../../../web-static/js/list/model/run_view.js';
import { checkRow, newSelection, selectRow } from '../../../web-static/js/list/list_selection.js';
import { allShown, isShown, ruleCount, shownCount, toggled } from '../../../web-static/js/list/model/shown.js';
import { colorOf, hueAndDash, slotOf } from '../../../web-static/js/base/slot.js';

function viewOf(text) {
	return readView(new URLSearchParams(text));
}

function addressOf(view) {
	return Object.fromEntries(Object.entries(writeView(view)).filter(([, value]) => value !== null));
}

test('a plain address is the default, and the default is a plain address', () => {
	const view = viewOf('');
	assert.deepEqual(view.sort, [{ key: 'created_at', down: true }]);
	assert.equal(view.columns, null);
	assert.deepEqual(addressOf(view), {});
});

test('what the address says comes back', () => {
	const text = { q: 'state:crashed', sort: '-summary.eval/loss,created', group: 'config.arch,user',
		cols: '*config.lr@90,summary.eval/loss', show: 'picked', on: 'a,b', off: 'c', base: 'd', change: 'relative' };
	const view = viewOf(text);
	assert.deepEqual(view.columns[0], { key: 'config.lr', pinned: true, width: 90 });
	assert.equal(orderText(view.sort), '-summary.eval/loss,created_at');
	assert.deepEqual(addressOf(view), text);
	assert.deepEqual(viewOf({ cols: ',' }).columns, []);
	assert.equal(writeView({ columns: [] }).cols, ',');
});

test('keys with commas and backslashes come back', () => {
	const keys = ['config.a,b', 'summary.loss, total', ',', 'back\\slash', 'both\\,', '\\\\', 'min(a,b)'];
	assert.deepEqual(listOf(listText(keys)), keys);
	assert.deepEqual(listOf('a\\,b,,c\\d,\\'), ['a,b', 'c\\d', '\\'], 'any other backslash is itself');
	assert.deepEqual([null, '', ','].map(listOf), [[], [], []]);
	const text = { sort: '-config.a\\,b,name', group: 'config.a\\,b,config.c', cols: '*summary.loss\\, total@90,state', on: '~a\\,b,r1' };
	const view = viewOf(text);
	assert.deepEqual([view.sort[0].key, view.group, view.columns[0], view.on],
		['config.a,b', ['config.a,b', 'config.c'], { key: 'summary.loss, total', pinned: true, width: 90 }, ['~a,b', 'r1']]);
	assert.deepEqual(addressOf(view), text);
	assert.equal(orderText(view.sort), '-config.a\\,b,name');
});

test('a file of runs has both changes of the columns that show one', () => {
	const change = { a: { absolute: 0.5, relative: 0.25 }, b: { absolute: -1, relative: null }, c: null };
	const runs = ['a', 'b', 'c'].map((id) => ({ id, display_name: id, state: 'running', created_at: 'now', started_at: 'again' }));
	const columns = [{ key: 'config.arch' }, { key: 'summary.loss', isChange: true }];
	const { heads, cellsOf } = runsTable(columns, (run, key) => `${key[0]}${run.id}`, (run) => change[run.id]);
	assert.deepEqual(csvOf(heads, runs.map(cellsOf)).trim().split('\r\n'), [
		'id,name,state,started,config.arch,summary.loss,summary.loss change,summary.loss relative change',
		'a,a,running,now,ca,sa,0.5,0.25', 'b,b,running,now,cb,sb,-1,', 'c,c,running,now,cc,sc,,']);
	assert.deepEqual(runsTable([{ key: 'state' }, { key: 'config.arch' }], () => 'x').heads,
		['id', 'name', 'state', 'started', 'config.arch'], 'each name once');
});

test('an address of nonsense is a view', () => {
	const view = viewOf('show=9999999&change=much&group=a,b,c,d&cols=*&sort=');
	assert.deepEqual([view.show, view.change, view.group, view.columns, view.sort.length], ['10', 'off', ['a', 'b', 'c'], [], 1]);
});

test('clicks on heads of columns', () => {
	const more = { isMore: true };
	const first = sortBy(viewOf('').sort, 'config.lr');
	assert.equal(orderText(first), '-config.lr');
	assert.equal(orderText(sortBy(first, 'config.lr')), 'config.lr');
	assert.equal(orderText(sortBy(first, 'name', more)), '-config.lr,name');
	const four = ['name', 'user', 'state'].reduce((sort, key) => sortBy(sort, key, more), first);
	assert.equal(orderText(sortBy(four, 'user', more)), '-config.lr,name,-user,state');
	assert.equal(orderText(sortBy(four, 'host', more)), '-config.lr,name,user,host');
	const loss = sortBy(first, 'summary.loss', { isUp: true });
	assert.deepEqual([loss, sortBy(loss, 'summary.loss', { isUp: true })].map(orderText), ['summary.loss', '-summary.loss']);
});

test('what is drawn: the first by the rule, and what a hand chose', () => {
	const view = viewOf('show=10');
	assert.deepEqual([isShown(view, 'r', 9), isShown(view, 'r', 10)], [true, false]);
	const hidden = { ...view, ...toggled(view, 'r3', 3) };
	assert.deepEqual([hidden.off, isShown(hidden, 'r3', 3)], [['r3'], false]);
	assert.deepEqual(toggled(hidden, 'r3', 3), { on: [], off: [] });
	assert.deepEqual(toggled(view, 'r20', 20), { on: ['r20'], off: [] });
	assert.deepEqual(allShown(view, [{ id: 'a', place: 0 }, { id: 'b', place: 50 }], false), { on: [], off: ['a'] });
});

test('how many are drawn', () => {
	const ids = Array.from({ length: 30 }, (_, place) => `r${place}`);
	assert.equal(shownCount(viewOf(''), ids, 183), 10);
	assert.equal(shownCount(viewOf('off=r3,r20&on=r21'), ids, 183), 10);
	assert.equal(shownCount(viewOf('show=picked&on=r1,r2&base=x'), ids, 183), 3);
	assert.equal(shownCount(viewOf(''), ids.slice(0, 4), 4), 4);
	assert.equal(ruleCount('all', 8204), 1000);
});

test('rows are selected one by one, and by ranges', () => {
	const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => `r${from + at}`);
	let selection = selectRow(newSelection(), { id: 'r2', place: 2 }, 'one', range);
	selection = selectRow(selection, { id: 'r4', place: 4 }, 'range', range);
	assert.deepEqual([...selection.ids], ['r2', 'r3', 'r4']);
	selection = selectRow(selection, { id: 'r3', place: 3 }, 'toggle', range);
	assert.deepEqual([...selection.ids], ['r2', 'r4']);
	assert.deepEqual([...selectRow(selection, { id: 'r9', place: 9 }, 'one', range).ids], ['r9']);
	const reaches = [9, 8, 5].reduce((now, place) => selectRow(now, { id: `r${place}`, place }, 'range', range),
		selectRow(selection, { id: 'r7', place: 7 }, 'toggle', range));
	assert.deepEqual([...reaches.ids].sort(), ['r2', 'r4', 'r5', 'r6', 'r7'], 'a range takes the place of the one before');
});

test('checkboxes: one by one, and with Shift all from the last one to here become like this one', () => {
	const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => `r${from + at}`);
	const click = (now, place, isRange = false) => checkRow(now, { id: `r${place}`, place }, isRange, range);
	const idsOf = ({ ids }) => [...ids].sort().join(' ');
	let now = click(click(newSelection(), 1), 4, true);
	assert.equal(idsOf(now), 'r1 r2 r3 r4');
	now = click(click(now, 8), 2);
	assert.equal(idsOf(now), 'r1 r3 r4 r8');
	now = click(now, 4, true);
	assert.equal(idsOf(now), 'r1 r8', 'r4 was selected, so none of r2 to r4 is');
	assert.equal(idsOf(click(newSelection(), 3, true)), 'r3', 'without a row before');
	assert.equal(idsOf(checkRow(click(newSelection(), 3), { id: 'base', place: -1 }, true, range)), 'base r3', 'a baseline has no place');
});

test('CSV keeps what is in a cell', () => {
	assert.equal(csvOf(['a,b', 'c'], [['x"y', null], ['=1+1', -2]]), '"a,b",c\r\n"x""y",\r\n\'=1+1,-2\r\n');
});

test('a run has one of 24 looks, by the server or by its id', () => {
	assert.equal(slotOf({ id: 'x', color_slot: 5 }), 5);
	assert.equal(slotOf({ id: 'x' }), slotOf({ id: 'x' }));
	assert.deepEqual(hueAndDash(17), { hue: 1, dash: 2 });
	assert.deepEqual(colorOf({ slot: 17, color: null }), { own: null, hue: 1, dash: 2 });
	assert.deepEqual(colorOf({ slot: 17, color: 'slot-8' }), { own: null, hue: 0, dash: 1 });
	assert.deepEqual(colorOf({ slot: 17, color: '#1f77b4' }), { own: '#1f77b4', hue: 0, dash: 0 });
	assert.deepEqual(colorOf({ slot: 17, color: '#1f77b4-dot' }), { own: '#1f77b4', hue: 0, dash: 2 });
	assert.deepEqual(colorOf({ slot: 17, color: 'red' }), { own: null, hue: 1, dash: 2 });
});

test('what keys of groups act as stands in the address where one is no colour', () => {
	const roles = (text) => readView(new URLSearchParams(text)).roles;
	assert.deepEqual(roles('group=a,b&as=dash,panel'), ['dash', 'panel']);
	assert.deepEqual([roles('group=a'), roles('group=a&as=nonsense')], [[], ['color']]);
	assert.deepEqual(writeView({ roles: ['color', 'dash'] }), { as: 'color,dash' });
	assert.deepEqual(writeView({ roles: ['color', 'color'] }), { as: null });
});
