/*
 * Tables of one meaning side by side, as the same table of several runs: rows that have the same value of a key column are one
 * row. The columns of each follow each other by name, so that the values of one column of all tables are neighbours. Pure.
 */

import { Column, plainText, Table } from './table.js';

const SEPARATOR = ' · ';

const keyText = (value) => `${typeof value}:${plainText(value)}`;

/* For each key the rows that have it, in their order. */
function rowsByKey({ values }) {
	const rows = new Map();
	values.forEach((value, row) => {
		if (value === null) return;
		const key = keyText(value);
		if (rows.has(key)) rows.get(key).push(row);
		else rows.set(key, [row]);
	});
	return rows;
}

/*
 * Rows of the whole: for each key as many as the table has that has the most of them; the first of one table stands beside the
 * first of another. [{key value, rows: one of each table, or undefined}]
 */
function joinedRows(keys) {
	const byKey = keys.map(rowsByKey);
	const joined = [];
	const seen = new Set();
	keys.forEach((column, of) => {
		for (const [key, rows] of byKey[of]) {
			if (seen.has(key)) continue;
			seen.add(key);
			const all = byKey.map((one) => one.get(key) ?? []);
			const most = Math.max(...all.map(({ length }) => length));
			for (let nth = 0; nth < most; nth++) joined.push({ value: column.values[rows[0]], rows: all.map((list) => list[nth]) });
		}
	});
	return joined;
}

const pick = (column, rows, of) => rows.map(({ rows: all }) => all[of] === undefined ? null : column.values[all[of]]);

/* [{name, nth, column}]: of columns with one name the first, the second and so on. */
function numbered(columns) {
	const counts = new Map();
	return columns.map((column) => {
		const nth = counts.get(column.name) ?? 0;
		counts.set(column.name, nth + 1);
		return { name: column.name, nth, column };
	});
}

/* Each name as often as the list has it that has it most, in the order of their first places. lists: of numbered(). */
function namesOf(lists) {
	return [...new Map(lists.flat().map(({ name, nth }) => [`${nth} ${name}`, { name, nth }])).values()];
}

const columnOf = (list, { name, nth }) => list.find((one) => one.name === name && one.nth === nth)?.column;

/* parts: [{name, table, key: the name of its key column}]; null if one has no such column. */
export function joinTables(parts) {
	const keys = parts.map(({ table, key }) => table.column(key));
	if (keys.includes(null)) return null;
	const rows = joinedRows(keys);
	const others = parts.map(({ table }, of) => numbered(table.columns.filter((one) => one !== keys[of])));
	const columns = namesOf(others).flatMap((named) => parts.flatMap(({ name: part }, of) => {
		const column = columnOf(others[of], named);
		if (!column) return [];
		return [Object.assign(new Column(`${named.name}${SEPARATOR}${part}`, pick(column, rows, of), column.type), { part: of })];
	}));
	const key = new Column(keys[0].name, rows.map(({ value }) => value), keys[0].type);
	return new Table([key, ...columns], rows.length, parts.some(({ table }) => table.isCut));
}

/* Columns that all tables have and of which each value is in one row, those first that look like a name of the row. */
export function joinKeys(tables) {
	const [first, ...others] = tables;
	if (!first) return [];
	const shared = first.columns.filter(({ name, kind }) => kind !== 'media' && kind !== 'other'
		&& others.every((table) => table.columns.some((one) => one.name === name)));
	const isUnique = ({ ranks, values }) => ranks.count === values.filter((value) => value !== null).length;
	const looksLikeOne = ({ name }) => /(^|[_\W])(id|key|name|path|index|idx|ndx)$/i.test(name);
	const rank = (column) => 2 * isUnique(column) + looksLikeOne(column);
	return shared.sort((a, b) => rank(b) - rank(a)).map(({ name }) => name);
}

/* Parts of one table one below the other, as increments are: columns by their names. */
export function stackTables(tables) {
	const lists = tables.map(({ columns }) => numbered(columns));
	const rowCount = tables.reduce((sum, table) => sum + table.rowCount, 0);
	const columns = namesOf(lists).map((named) => {
		const found = lists.map((list) => columnOf(list, named));
		const values = tables.flatMap((table, at) => found[at]?.values ?? new Array(table.rowCount).fill(null));
		return new Column(named.name, values, found.find(Boolean).type);
	});
	return new Table(columns, rowCount, tables.some(({ isCut }) => isCut));
}
