/* A file that is a table, from the first byte on: how far it is read, then the table, or why there is none. */

import { el, replace } from '../base/dom.js';
import { bytes as bytesText } from '../base/format.js';
import { text } from '../text/tables.js';
import { faultWords } from '../ui/fault_words.js';
import { joinKeys, joinTables } from './join_tables.js';
import { loadTable, roomOfTables } from './load_table.js';
import { tableView } from './table_view.js';
import { versionFiles } from './version_files.js';

const words = text.tables;

/*
 * load({signal, onbytes}): a promise of {table}, {fault} or {why}; files: as of tableFile; onnone(why): what is shown of what is no table.
 * before(): the choices that it begins with, or null; lacking(table): what files do not have, as of tableView(). Gives {node, isRead: a promise, show(table): another one, choices(), caret(), focus(caret), stop}.
 */
function loadedTable({ name, load, files, onnone, before = () => null, lacking = () => [] }) {
	const node = el('div', { class: 'file-view table-file' });
	const ends = new AbortController();
	const said = el('p', { class: 'note', role: 'status' }, words.loading(bytesText(0)));
	const sayFault = faultWords(() => start());
	let view = null;
	let frame = 0;

	function told(bytes) {
		cancelAnimationFrame(frame);
		frame = requestAnimationFrame(() => { said.textContent = words.loading(bytesText(bytes)); });
	}

	async function start() {
		replace(node, said);
		const { table, fault, why } = await load({ signal: ends.signal, onbytes: told }).catch(failed);
		cancelAnimationFrame(frame);
		if (ends.signal.aborted) return;
		if (fault) replace(node, el('p', { class: 'fault', role: 'alert' }, sayFault(fault)));
		else if (why !== undefined) noTable(why);
		else show(table);
	}

	function failed(fault) {
		reportError(fault);
		return { why: fault.message };
	}

	function noTable(why) {
		view = onnone?.(why) ?? null;
		replace(node, el('p', { class: 'note' }, words.notTable(why)), view?.node);
	}

	function show(table) {
		const chosen = choices();
		view?.stop();
		view = tableView({ name, table, files, before: chosen, lacking: lacking(table) });
		before = () => null;
		replace(node, view.node);
	}

	const choices = () => view?.choices ? view.choices() : before();
	return {
		node, show, choices,
		isRead: start(),
		caret: () => view?.caret?.() ?? null,
		focus: (caret) => view?.focus?.(caret),
		stop() {
			ends.abort();
			cancelAnimationFrame(frame);
			view?.stop();
		},
	};
}

/* [{name, has, rows}] if the file has fewer rows than the table. */
function lacks({ rowCount, isCut }, { name, rows }) {
	return typeof rows === 'number' && rows > rowCount && !isCut ? [{ name, has: rowCount, rows }] : [];
}

/*
 * Shows the table of a file. name: for readers of the page; source: {path: of its JSON, below api/v1}, {paths: of its parts, one below the
 * other, isCut: there are more} or {json}; files: {pathOf(path as cells have it): a path below api/v1 or null, list(folder): a promise of
 * {paths: in it, isCut} or {fault}}, by
 * which media in cells and the parts of joined and partitioned tables are found, or base: the path below api/v1 of the run or version
 * that has them; onnone(why): the file is no table, and what is given
 * back is shown below the reason. rows: how many the table has, if that is known: its file may have only the first of them. before and
 * what it gives: as of loadedTable().
 */
export function tableFile({ name, source, base, files = versionFiles(base), onnone, before, rows }) {
	return loadedTable({ name, files, onnone, before, lacking: (table) => lacks(table, { rows }), load: (options) => loadTable(source, { files, ...options }) });
}

/*
 * Shows the tables of several files joined by a column. parts: [{name, source, files, rows}]; key: the column, null for one that suits;
 * onkeys(columns that they can be joined by, which of them they are joined by). Gives what loadedTable() gives, and join(key).
 */
export function joinedFiles({ name, parts, key, onkeys, before }) {
	let tables = [];

	/* {table} or {why}: no column is in all of them. */
	function joined(by) {
		const keys = joinKeys(tables);
		const chosen = keys.includes(by) ? by : keys[0];
		onkeys(keys, chosen);
		if (chosen === undefined) return { why: words.noShared };
		return { table: joinTables(parts.map((part, at) => ({ name: part.name, table: tables[at], key: chosen }))) };
	}

	async function load({ signal, onbytes }) {
		const came = parts.map(() => 0);
		const room = roomOfTables();
		const answers = await Promise.all(parts.map(({ source, files }, at) => loadTable(source, { files, signal, room, onbytes(bytes) {
			came[at] = bytes;
			onbytes(came.reduce((sum, one) => sum + one, 0));
		} })));
		const failed = answers.find(({ table }) => !table);
		if (failed) return failed;
		tables = answers.map(({ table }) => table);
		return joined(key);
	}

	const files = { pathOf: () => null, of: (column) => parts[column.part]?.files };
	const shown = loadedTable({ name, load, files, before, lacking: () => tables.flatMap((table, at) => lacks(table, parts[at])) });
	return { ...shown, join: (by) => tables.length > 0 && shown.show(joined(by).table) };
}
