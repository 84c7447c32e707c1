import assert from 'node:assert/strict';
import test from 'node:test';

import { barsOf } from '../../../web-static/js/tables/column_bars.js';
import { rowFilter, filterRows } from '../../../web-static/js/tables/filter_rows.js';
import { groupRows, groupSums, keysOf, sizeOf, sortGroups } from '../../../web-static/js/tables/group_rows.js';
import { joinKeys, joinTables, stackTables } from '../../../web-static/js/tables/join_tables.js';
import { groupLines, plainLines } from '../../../web-static/js/tables/row_lines.js';
import { sortRows } from '../../../web-static/js/tables/sort_rows.js';
import { allRows, tableOf } from '../../../web-static/js/tables/table.js';
import { looseJson, TableReader } from '../../../web-static/js/tables/table_reader.js';

const encoder = new TextEncoder();

function read(text, { size = 1 << 16, most } = {}) {
	const reader = new TableReader(most);
	const bytes = encoder.encode(text);
	for (let at = 0; at < bytes.length; at += size) reader.push(bytes.slice(at, at + size));
	return reader.end();
}

const made = (columns, data, more = {}) => tableOf(read(JSON.stringify({ columns, data, ...more })));
const valuesOf = (table) => Object.fromEntries(table.columns.map(({ name, values }) => [name, values]));
const shown = (rows, column) => Array.from(rows, (row) => column.values[row]);

const ANIMALS = made(['id', 'label', 'loss', 'ok'], [
	[1, 'cat', 0.5, true], [2, 'dog', 0.25, false], [3, 'cat', null, true], [4, 'Red cow', 1e3, null], [5, 'dog', 0.25, true]]);
const found = (typed, table = ANIMALS) => {
	const { holds, fault } = rowFilter(typed, table);
	return fault ?? [...filterRows(allRows(table), holds)].map((row) => row + 1);
};

test('a table is the same wherever its bytes are cut, and in whatever order its members are', () => {
	const text = '{ "n": {"data": [[9]], "x": "]}"}, "columns" :["a","ü"], "data" : [ [1, "x]\\"["], [null,"日本"] ,\n[{"b":[1]}, "\\\\"]], "ncols": 2 }';
	const whole = read(text);
	assert.deepEqual(valuesOf(tableOf(whole)), { a: [1, null, { b: [1] }], ü: ['x]"[', '日本', '\\'] });
	assert.deepEqual([whole.meta.ncols, whole.meta.data, whole.meta.n.data], [2, [], [[9]]]);
	for (let size = 1; size < 40; size++) assert.deepEqual(read(text, { size }), whole, `${size} bytes at a time`);
	assert.deepEqual(valuesOf(tableOf(read('{"data": [[1]], "columns": ["a"]}'))), { a: [1] });
	assert.deepEqual(valuesOf(tableOf(read('{"data":[], "columns": ["a"]}'))), { a: [] });
	assert.deepEqual(valuesOf(tableOf(read('{"columns": [0, 1], "data": [[1], [2, 3]]}'))), { 0: [1, 2], 1: [null, 3] });
});

test('what Python writes is read: bare NaN and infinities, whole numbers of 64 bits', () => {
	const [a, b] = tableOf(read('{"columns": ["a", "b"], "data": [[NaN, "NaN, -Infinity"], [-Infinity, 18446744073709551615], [0.12345678901234567, [Infinity]]]}')).columns;
	assert.ok(Number.isNaN(a.values[0]));
	assert.deepEqual(a.values.slice(1), [-Infinity, 0.12345678901234567]);
	assert.equal(b.values[0], 'NaN, -Infinity');
	assert.deepEqual(b.values[2], [Infinity]);
	if (JSON.rawJSON) {
		assert.equal(looseJson('[18446744073709551615]')[0], '18446744073709551615');
		assert.deepEqual([b.values[1], looseJson('[[1234567890123456789, NaN]]')], ['18446744073709551615', [['1234567890123456789', NaN]]]);
	}
	assert.deepEqual(looseJson('[1234567890123456.5]'), [1234567890123456.5]);
});

test('what is no table is refused, with the reason', () => {
	for (const text of ['', '[]', '{"data": [1]}', '{"data": [{"a": 1}]}', '{"columns": ["a"], "data": [[1]]', '{"columns": ["a"], "data": [[1], [}]}', 'null'])
		assert.throws(() => tableOf(read(text)), SyntaxError, text);
});

test('beyond the limits the first rows are kept, at the limit all of them', () => {
	const text = JSON.stringify({ columns: ['a', 'b'], data: [[1, 2], [3, 4], [5, 6]], more: 1 });
	const cut = (most) => {
		const { rowCount, isCut, cells, meta } = read(text, { most });
		return [rowCount, isCut, cells.length, meta.columns];
	};
	assert.deepEqual(cut({ rows: 3, cells: 6, columns: 2 }), [3, false, 2, ['a', 'b']]);
	assert.deepEqual(cut({ rows: 2 }), [2, true, 2, ['a', 'b']]);
	assert.deepEqual(cut({ cells: 5 }), [2, true, 2, ['a', 'b']]);
	assert.deepEqual(cut({ columns: 1 }), [3, false, 1, ['a', 'b']]);
});

test('the kind of a column is that of its values, and time where the SDK says so', () => {
	const types = { params: { type_map: { at: { wb_type: 'union', params: { allowed_types: [{ wb_type: 'none' }, { wb_type: 'timestamp' }] } } } } };
	const table = made(['n', 't', 'b', 'm', 'l', 'at', 'none', 'mixed'],
		[[1, 'a', true, { _type: 'image-file', path: 'x.png' }, [1], 5, null, 'a'], [null, null, null, null, null, null, null, 2], [2.5, 'b', false, null, [2], 6, null, 'b']],
		{ column_types: types });
	assert.deepEqual(table.columns.map(({ kind }) => kind), ['number', 'text', 'bool', 'media', 'other', 'time', 'text', 'text']);
	assert.equal(table.column('N'), table.columns[0]);
	assert.equal(table.column('x'), null);
});

test('sorted: numbers before texts, nothing last, whichever way; equal rows keep their order', () => {
	const table = made(['k', 'n'], [['b', 3], [2, 1], [null, 2], ['a', 3], [10, null], [-1, 1], ['b', 1]]);
	const [k, n] = table.columns;
	const sorted = (...keys) => Array.from(sortRows(allRows(table), keys));
	const by = (column, isDown = false) => ({ column, isDown });
	assert.deepEqual(shown(sorted(by(k)), k), [-1, 2, 10, 'a', 'b', 'b', null]);
	assert.deepEqual(shown(sorted(by(k, true)), k), [10, 2, -1, 'b', 'b', 'a', null]);
	assert.deepEqual(sorted(by(n)), [1, 5, 6, 2, 0, 3, 4]);
	assert.deepEqual(sorted(by(n, true)), [0, 3, 2, 1, 5, 6, 4]);
	assert.deepEqual(sorted(by(n), by(k, true)), [1, 5, 6, 2, 0, 3, 4]);
	assert.deepEqual(sorted(by(n, true), by(k)), [3, 0, 2, 5, 1, 6, 4]);
	const odd = tableOf(read('{"columns": ["x"], "data": [[NaN], [Infinity], [0], [-Infinity]]}'));
	assert.deepEqual(shown(sortRows(allRows(odd), [by(odd.columns[0], true)]), odd.columns[0]), [Infinity, 0, -Infinity, NaN]);
});

test('sorts as a plain sort does', () => {
	let seed = 7;
	const next = (most) => (seed = (seed * 48271) % 2147483647) % most;
	const table = made(['a', 'b'], Array.from({ length: 3000 }, () => [next(50) / 4, `t${next(40)}`]));
	const [a, b] = table.columns;
	const plain = [...allRows(table)].sort((x, y) => b.values[x] < b.values[y] ? 1 : b.values[x] > b.values[y] ? -1 : a.values[x] - a.values[y] || x - y);
	assert.deepEqual([...sortRows(allRows(table), [{ column: b, isDown: true }, { column: a, isDown: false }])], plain);
});

test('a filter is that of runs, with the names of columns', () => {
	assert.deepEqual(found(''), [1, 2, 3, 4, 5]);
	assert.deepEqual(found('label:cat'), [1, 3]);
	const odd = tableOf(read('{"columns": ["x", "n"], "data": [["1234567890123456789", NaN], ["1234567890123456788", 1], ["1", 2], [1, "NaN"], ["true", true]]}'));
	assert.deepEqual(['x:1234567890123456789', 'x:1', 'x:"1"', 'x:true', 'n:NaN', 'n!=NaN', 'n:"NaN"'].map((typed) => found(typed, odd)),
		[[1], [3, 4], [3], [5], [1, 4], [2, 3, 5], [4]]);
	assert.deepEqual(found('label:cat,"Red cow"'), [1, 3, 4]);
	assert.deepEqual(found('label!=cat'), [2, 4, 5]);
	assert.deepEqual(found('loss<0.5'), [2, 5]);
	assert.deepEqual(found('loss>=0.5 ok:true'), [1]);
	assert.deepEqual(found('label:dog and loss<=0.25 or id:4'), [2, 4, 5]);
	assert.deepEqual(found('not (label:dog or has:loss)'), [3]);
	assert.deepEqual(found('has:loss,ok'), [1, 2, 5]);
	assert.deepEqual(found('ok:null'), [4]);
	assert.deepEqual(found('label:/^D/i'), [2, 5]);
	assert.deepEqual(found('label!=/o/'), [1, 3]);
	assert.deepEqual(found('RED'), [4]);
	assert.deepEqual(found('"red cow" id>3'), [4]);
	assert.deepEqual(found('label>"cat"'), [2, 5]);
	assert.deepEqual(found('LOSS:0.25'), [2, 5]);
	assert.deepEqual(found('id:"4"'), [], 'a text is not the number');
});

test('a filter that is not understood says what and where', () => {
	const fault = (typed) => [found(typed).words?.split(/[ :]/, 3).join(' '), found(typed).at];
	assert.deepEqual(found('label:cat lose<1'), { words: 'There is no column "lose".', at: 10, length: 4 });
	assert.deepEqual(fault('loss<'), ['Expected a number', 5]);
	assert.deepEqual(fault('loss<1,2'), ['Expected one value', 5]);
	assert.deepEqual(fault('loss<true'), ['Expected a number', 5]);
	assert.deepEqual(fault('label:'), ['Expected a value.', 6]);
	assert.deepEqual(fault('label:/a'), ['Expected the end', 6]);
	assert.deepEqual(fault('label:/(/'), ['Invalid expression ', 6]);
	assert.deepEqual(fault('(label:cat'), ['Expected a closing', 10]);
	assert.deepEqual(fault('label:cat)'), ['Unmatched closing bracket.', 9]);
	assert.deepEqual(fault('label:cat or'), ['Expected a condition.', 12]);
	assert.deepEqual(fault(`${'('.repeat(17)}id:1${')'.repeat(17)}`)[0], 'Brackets are nested');
	assert.deepEqual(found(`${'('.repeat(16)}id:1${')'.repeat(16)}`), [1]);
	assert.equal(fault(`label:/${'a'.repeat(257)}/`)[0], 'An expression has');
	assert.deepEqual(found(`label:/${'a'.repeat(256)}/`), []);
	assert.equal(fault('x'.repeat(4097))[0], 'A filter has');
	assert.deepEqual(found('x'.repeat(4096)), []);
});

test('values that are objects are found by their path or JSON', () => {
	const table = made(['m', 'l'], [[{ _type: 'image-file', path: 'media/A.png' }, [1, 2]], [null, null]]);
	assert.deepEqual(found('a.png', table), [1]);
	assert.deepEqual(found('m:media/A.png', table), [1]);
	assert.deepEqual(found('has:l', table), [1]);
});

test('groups have the rows of equal values, and numbers over them', () => {
	const groups = groupRows(allRows(ANIMALS), [ANIMALS.column('label')]);
	const [label, loss, ok] = ['label', 'loss', 'ok'].map((name) => ANIMALS.column(name));
	const of = groupSums(groups);
	const all = Array.from({ length: groups.count }, (_, at) => at);
	assert.deepEqual(all.map((at) => [...keysOf(groups, at), sizeOf(groups, at)]), [['Red cow', 1], ['cat', 2], ['dog', 2]]);
	assert.deepEqual(all.map((at) => of(at, loss)), [
		{ count: 1, mean: 1000, sum: 1000, min: 1000, max: 1000, std: null },
		{ count: 1, mean: 0.5, sum: 0.5, min: 0.5, max: 0.5, std: null },
		{ count: 2, mean: 0.25, sum: 0.5, min: 0.25, max: 0.25, std: 0 }]);
	assert.deepEqual(all.map((at) => of(at, ok)), [
		{ count: 0, different: 0, value: null }, { count: 2, different: 1, value: true }, { count: 2, different: 2, value: null }]);
	const order = (column, isDown, sum = 'mean') => [...sortGroups(groups, { column, isDown, sum, of })];
	assert.deepEqual(order(null, false), [0, 1, 2]);
	assert.deepEqual(order(label, true), [2, 1, 0]);
	assert.deepEqual(order(loss, false), [2, 1, 0]);
	assert.deepEqual(order(loss, true), [0, 1, 2]);
	assert.deepEqual(order(loss, true, 'std'), [2, 0, 1], 'groups without a value are last');
	assert.deepEqual(order('count', true), [1, 2, 0]);
	assert.deepEqual(order(ok, true), [2, 1, 0], 'by how many different ones, without a value last');
	const two = groupRows(allRows(ANIMALS), [ok, label]);
	assert.deepEqual(Array.from({ length: two.count }, (_, at) => keysOf(two, at)), [[false, 'dog'], [true, 'cat'], [true, 'dog'], [null, 'Red cow']]);
	const cut = groupRows(allRows(ANIMALS), [label], 2);
	assert.deepEqual([cut.count, cut.isCut, cut.starts], [2, true, [0, 1, 3]]);
	assert.equal(groupRows(allRows(ANIMALS), [label], 3).isCut, false);
});

test('lines are groups, and rows below those that are open', () => {
	const groups = groupRows(allRows(ANIMALS), [ANIMALS.column('label')]);
	const rowsOf = (group) => groups.sorted.subarray(groups.starts[group], groups.starts[group + 1]);
	const lines = groupLines(groups, { order: Uint32Array.from([2, 0, 1]), rowsOf, isOpen: (group) => group !== 0 });
	const all = Array.from({ length: lines.count }, (_, at) => lines.at(at)).map(({ kind, group, row }) => kind === 'group' ? `g${group}` : row);
	assert.deepEqual(all, ['g2', 1, 4, 'g0', 'g1', 0, 2]);
	assert.equal(lines.lineOf(1), 4);
	assert.deepEqual([plainLines(Uint32Array.from([3, 1])).at(1), plainLines([]).count], [{ kind: 'row', row: 1, depth: 0 }, 0]);
});

test('heads have the distribution of the rows that are shown', () => {
	const table = tableOf(read('{"columns": ["x", "t"], "data": [[0, "a"], [10, "b"], [10, "b"], [5, null], [NaN, "c"], [Infinity, "b"]]}'));
	const [x, t] = table.columns;
	const bars = barsOf(x, allRows(table));
	assert.deepEqual([bars.low, bars.high, bars.count, bars.odd], [0, 10, 4, 2]);
	assert.deepEqual([bars.bars[0], bars.bars[10], bars.bars[19], bars.bars.length], [1, 1, 2, 20]);
	assert.deepEqual(barsOf(x, [1, 2]), { kind: 'numbers', bars: [2], low: 10, high: 10, count: 2, odd: 0 });
	assert.deepEqual(barsOf(t, allRows(table)), { kind: 'values', count: 5, different: 3,
		top: [{ value: 'b', count: 3 }, { value: 'a', count: 1 }, { value: 'c', count: 1 }] });
	assert.deepEqual(barsOf(x, []).bars, []);
});

test('tables of runs are joined by a key, the values of a column side by side', () => {
	const one = made(['id', 'guess', 'only'], [[1, 'a', 'x'], [2, 'b', 'y'], [2, 'c', 'z']]);
	const two = made(['id', 'guess'], [[2, 'B'], [3, 'C'], [null, 'N']]);
	const joined = joinTables([{ name: 'r1', table: one, key: 'id' }, { name: 'r2', table: two, key: 'id' }]);
	assert.deepEqual(valuesOf(joined), { id: [1, 2, 2, 3], 'guess · r1': ['a', 'b', 'c', null], 'guess · r2': [null, 'B', null, 'C'], 'only · r1': ['x', 'y', 'z', null] });
	assert.deepEqual(joined.columns.map(({ part }) => part), [undefined, 0, 1, 0]);
	assert.equal(joinTables([{ name: 'r1', table: one, key: 'id' }, { name: 'r2', table: two, key: 'none' }]), null);
	assert.deepEqual(joinKeys([two, one]), ['id', 'guess']);
	assert.deepEqual(joinKeys([made(['v', 'name'], [[1, 'a'], [1, 'b']]), made(['name', 'v'], [['a', 2]])]), ['name', 'v']);
	assert.deepEqual(joinKeys([]), []);
});

test('the parts of a table are stacked by the names of their columns', () => {
	const twice = stackTables([made(['a', 'a'], [[1, 2]]), made(['a'], [[3]])]);
	assert.deepEqual(twice.columns.map(({ name, values }) => [name, values]), [['a', [1, 3]], ['a', [2, null]]]);
	const beside = joinTables([{ name: 'r1', table: made(['id', 'a', 'a'], [[1, 2, 3]]), key: 'id' }, { name: 'r2', table: made(['id', 'a'], [[1, 4]]), key: 'id' }]);
	assert.deepEqual(beside.columns.map(({ name, values }) => [name, ...values]), [['id', 1], ['a · r1', 2], ['a · r2', 4], ['a · r1', 3]]);
	const whole = stackTables([made(['a', 'b'], [[1, 2]]), made(['b', 'c'], [[3, 4], [5, 6]])]);
	assert.deepEqual(valuesOf(whole), { a: [1, null, null], b: [2, 3, 5], c: [null, 4, 6] });
	assert.equal(whole.rowCount, 3);
});

test('a text far down a column of numbers is found, and the column stays one of numbers', () => {
	const table = made(['n'], [...Array.from({ length: 3000 }, (_, at) => [at]), ['Late']]);
	assert.deepEqual([table.columns[0].kind, found('late', table)], ['number', [3001]]);
	assert.deepEqual(shown(sortRows(allRows(table), [{ column: table.columns[0], isDown: true }]).slice(0, 1), table.columns[0]), [2999]);
});
