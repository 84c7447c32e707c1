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

/* parts: [{name, table, key: the name of its key column}]; null if one has no such column. */
export function joinTables(parts) {
	const keys = parts.map(({ table, key }) => table.column(key));
	if (keys.includes(null)) return null;
	const rows = joinedRows(keys);
	const names = [...new Set(parts.flatMap(({ table }, of) => table.columns.filter((one) => one !== keys[of]).map(({ name }) => name)))];
	const columns = names.flatMap((name) => parts.flatMap(({ name: part, table }, of) => {
		const column = table.columns.find((one) => one.name === name && one !== keys[of]);
		if (!column) return [];
		return [Object.assign(new Column(`${name}${SEPARATOR}${part}`, pick(column, rows, of), column.type), { part: of })];
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
	const names = [...new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))];
	const rowCount = tables.reduce((sum, table) => sum + table.rowCount, 0);
	const columns = names.map((name) => {
		const found = tables.map((table) => table.columns.find((one) => one.name === name));
		const values = tables.flatMap((table, at) => found[at]?.values ?? new Array(table.rowCount).fill(null));
		return new Column(name, values, found.find(Boolean).type);
	});
	return new Table(columns, rowCount, tables.some(({ isCut }) => isCut));
}
