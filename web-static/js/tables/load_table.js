/*
 * A table from its JSON: of a file that is read as it arrives, or of an object. Joined and partitioned tables of artifacts name
 * others, which are read, too.
 */

import { askStream } from '../api.js';
import { text } from '../text/tables.js';
import { joinTables, stackTables } from './join_tables.js';
import { tableOf } from './table.js';
import { MOST, TableReader } from './table_reader.js';

const words = text.tables;

export const PARTS_MOST = 1000; /* of a partitioned table */
const DEEPEST = 4; /* tables that are named by tables */

const FOLDER = /\/*$/;

/* Limits of tables that are shown together; each takes from them. */
export const roomOfTables = ({ cells, bytes } = MOST) => ({ cells, bytes });

const isUsedUp = ({ cells, bytes }) => cells <= 0 || bytes <= 0;

/* {read: what the reader gives} or {fault}. rows: how many at most. */
async function readFile(path, { signal, room, rows = MOST.rows, onbytes = () => {} }) {
	const stop = new AbortController();
	const reader = new TableReader({ rows }, room);
	let [bytes, why] = [0, null];
	const end = () => stop.abort();
	signal.addEventListener('abort', end);
	const answer = await askStream('GET', path, undefined, { signal: stop.signal, onBytes(chunk) {
		if (reader.isFull || why) return;
		try {
			reader.push(chunk);
		} catch (fault) {
			why = fault.message;
		}
		onbytes(bytes += chunk.length);
		if (reader.isFull || why) stop.abort();
	} });
	signal.removeEventListener('abort', end);
	if (signal.aborted) return { fault: answer };
	if (!why && !reader.isFull && answer.status !== 200) return { fault: answer };
	if (reader.isFull && !reader.isBegun) return { fault: { detail: words.tooLarge } };
	try {
		return why ? { why } : { read: reader.end() };
	} catch (fault) {
		return { why: fault.message };
	}
}

function readJson(json) {
	const data = Array.isArray(json.data) ? json.data : [];
	const reader = new TableReader();
	data.forEach((row) => reader.isFull || reader.addRow(row));
	return { meta: { ...json, data: [] }, cells: reader.cells, rowCount: reader.rowCount, isCut: reader.isFull };
}

const notHere = (path) => ({ fault: { detail: words.noPart(path) } });

async function joined(meta, options) {
	const keys = [meta.join_key].flat();
	const paths = [meta.table1, meta.table2];
	const parts = [];
	const odd = paths.findIndex((path) => typeof path !== 'string');
	if (odd >= 0) return notHere(String(paths[odd]));
	for (const [at, path] of paths.entries()) {
		const part = await ofPath(path, options);
		if (!part.table) return part;
		parts.push({ name: partName(path, paths, at), table: part.table, key: String(keys[at] ?? keys[0]) });
	}
	const table = joinTables(parts);
	return table ? { table } : { fault: { detail: words.noKey(keys.join(', ')) } };
}

/* The last part of a path without its ends; of two that are the same with its number. */
function partName(path, paths, at) {
	const nameOf = (one) => one.split('/').at(-1).replace(/(\.(joined-|partitioned-)?table)?\.json$/, '');
	const name = nameOf(path);
	return paths.every((one) => nameOf(one) === name) ? `${name} ${at + 1}` : name;
}

async function partitioned(meta, options) {
	const { list } = options.files;
	const folder = String(meta.parts_path).replace(FOLDER, '/');
	const { fault, paths, isCut } = await list?.(folder) ?? { paths: [] };
	if (fault) return { fault };
	const names = paths.filter((name) => name.endsWith('.table.json')).sort();
	if (!names.length) return notHere(folder);
	return stacked({ paths: names.map((name) => options.files.pathOf(name)), isCut }, options);
}

const OTHERS = { 'joined-table': joined, 'partitioned-table': partitioned };

async function tableFrom(read, { depth = 0, ...options }) {
	const other = Object.hasOwn(OTHERS, read.meta._type) && OTHERS[read.meta._type];
	if (other) return depth < DEEPEST ? other(read.meta, { ...options, depth: depth + 1 }) : { why: words.tooDeep };
	if (!Array.isArray(read.meta.columns) && !read.cells.length) return { why: words.noColumns };
	return { table: tableOf(read) };
}

async function ofPath(path, options) {
	const place = typeof path === 'string' ? options.files.pathOf(path) : null;
	return place === null ? notHere(path) : loadTable({ path: place }, options);
}

/* Tables of one form, one below the other, as far as there is room for them. onbytes is told of all together. */
async function stacked({ paths, isCut = false }, { rows = MOST.rows, onbytes = () => {}, ...options }) {
	const tables = [];
	let [before, left] = [0, rows];
	for (const path of paths.slice(0, PARTS_MOST)) {
		if (tables.length && (left <= 0 || isUsedUp(options.room))) break;
		let came = 0;
		const part = await loadTable({ path }, { ...options, rows: left, onbytes: (bytes) => onbytes(before + (came = bytes)) });
		if (!part.table) return part;
		tables.push(part.table);
		before += came;
		left -= part.table.rowCount;
	}
	const table = stackTables(tables);
	table.isCut ||= Boolean(isCut) || tables.length < paths.length;
	return { table };
}

/*
 * {table}, {fault: an answer that failed, or {detail}}, or {why: it is no table}. source, files: as of table_file.js; onbytes(how many have come);
 * room: of roomOfTables(), if it is shown with others.
 */
export async function loadTable({ path, paths, isCut, json }, { room = roomOfTables(), ...given }) {
	const options = { room, ...given };
	if (paths) return stacked({ paths, isCut }, options);
	if (json !== undefined) return tableFrom(readJson(json), options);
	const { read, ...other } = await readFile(path, options);
	return read ? tableFrom(read, options) : other;
}

