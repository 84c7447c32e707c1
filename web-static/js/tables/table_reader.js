/*
 * Reads a table of the wandb SDK ({"columns": [...], "data": [[...], ...], ...}, members in any order) while its bytes arrive.
 * The bytes are searched for the ends of rows, and rows that are complete are parsed some hundred at a time: no part of the
 * file blocks the page, and nothing is left to parse when the last byte is here. Values are kept by column.
 *
 * Python writes NaN and infinities as bare words, which JSON has not. They are read as these numbers.
 */

import { exactJson } from '../base/exact_json.js';

/* Limits on what is kept of a table; bytes: of its JSON. */
export const MOST = { rows: 1000000, cells: 20000000, columns: 2000, bytes: 512 * 2 ** 20 };

const [QUOTE, ESCAPE, COLON, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [...'"\\:[]{}'].map((sign) => sign.charCodeAt(0));
const BARE = /"(?:[^"\\]|\\.)*"|-?\b(?:Infinity|NaN)\b/g;
const HAS_BARE = /\b(?:Infinity|NaN)\b/;
const MARK = '\0bare';
const LARGE = /(?:^|[^\d.eE+-])-?\d{16,}(?![\d.eE])/;

const DATA = 'data';

/* Marks become the numbers that they stand for. */
function unmarked(value) {
	if (value === null || typeof value !== 'object') return value;
	if (MARK in value) return Number(value[MARK]);
	if (Array.isArray(value)) return value.map(unmarked);
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unmarked(inner)]));
}

function parsedWithBare(text, parse) {
	const marked = text.replace(BARE, (found) => found[0] === '"' ? found : JSON.stringify({ [MARK]: found }));
	return unmarked(parse(marked));
}

/* JSON in which bare NaN and infinities are numbers, and whole numbers that a double does not hold are texts. */
export function looseJson(text) {
	const parse = LARGE.test(text) ? exactJson : JSON.parse;
	try {
		return parse(text);
	} catch (fault) {
		if (!HAS_BARE.test(text)) throw fault;
		return parsedWithBare(text, parse);
	}
}

function joined(parts) {
	if (parts.length === 1) return parts[0];
	const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

export class TableReader {
	/* room: {cells, bytes} that it shares with others, and takes from. */
	constructor(most = {}, room = { cells: most.cells ?? MOST.cells, bytes: most.bytes ?? MOST.bytes }) {
		this.most = { ...MOST, ...most };
		this.room = room;
		this.cellCount = 0;
		this.cells = []; /* by column */
		this.rowCount = 0;
		this.isFull = false; /* nothing more is kept */
		this.depth = 0;
		this.isText = false; /* within quotes */
		this.isEscaped = false;
		this.name = ''; /* the text at the depth of members that was read last */
		this.hasColon = false;
		this.isData = false; /* within the list of rows */
		this.pending = []; /* of the row, or of what is around the rows */
		this.around = ''; /* all but the rows */
		this.decoder = new TextDecoder();
	}

	/* Adds a row's values; a row that is shorter than others ends with nulls. */
	addRow(row) {
		if (!Array.isArray(row)) throw new SyntaxError(`row ${this.rowCount + 1} is not a list`);
		const { cells, rowCount, most } = this;
		const width = Math.max(cells.length, Math.min(row.length, most.columns));
		const more = (rowCount + 1) * width - this.cellCount;
		this.isFull = rowCount >= most.rows || more > this.room.cells;
		if (this.isFull) return;
		this.room.cells -= more;
		this.cellCount += more;
		while (cells.length < width) cells.push(rowCount ? new Array(rowCount).fill(null) : []);
		for (let at = 0; at < width; at++) cells[at].push(row[at] ?? null);
		this.rowCount++;
	}

	addRows(bytes) {
		const text = this.decoder.decode(bytes).replace(/^\s*,/, '');
		for (const row of looseJson(`[${text}]`)) if (!this.isFull) this.addRow(row);
	}

	keep(bytes) {
		if (bytes.length) this.pending.push(bytes);
	}

	taken() {
		const bytes = joined(this.pending.length ? this.pending : [new Uint8Array()]);
		this.pending = [];
		return bytes;
	}

	/* Returns where the text ends that begins before `at`, or the end of the chunk. */
	pastText(chunk, from) {
		let at = from;
		for (; at < chunk.length; at++) {
			if (this.isEscaped) this.isEscaped = false;
			else if (chunk[at] === ESCAPE) this.isEscaped = true;
			else if (chunk[at] === QUOTE) break;
		}
		if (this.depth === 1 && !this.isData) this.name += String.fromCharCode(...chunk.subarray(from, Math.min(at, from + DATA.length + 1)));
		if (at < chunk.length) this.isText = false;
		return at;
	}

	/* The list of rows begins, or ends, behind this byte. */
	turn(chunk, from, to) {
		this.keep(chunk.subarray(from, to));
		if (this.isData) this.addRows(this.taken());
		else this.around += this.decoder.decode(this.taken());
		this.isData = !this.isData;
		return to;
	}

	/* Whether its rows have begun. */
	get isBegun() {
		return this.around !== '';
	}

	push(chunk) {
		this.isFull ||= chunk.length > this.room.bytes;
		if (this.isFull) return;
		this.room.bytes -= chunk.length;
		let from = 0; /* of what was not kept yet */
		let end = -1; /* behind the last row that is complete */
		for (let at = 0; at < chunk.length && !this.isFull; at++) {
			if (this.isText) {
				at = this.pastText(chunk, at);
				continue;
			}
			switch (chunk[at]) {
			case QUOTE:
				this.isText = true;
				if (this.depth === 1) [this.name, this.hasColon] = ['', false];
				break;
			case COLON:
				this.hasColon = true;
				break;
			case OPEN:
			case OPEN_LIST:
				this.depth++;
				if (this.depth === 2 && !this.isData && chunk[at] === OPEN_LIST && this.hasColon && this.name === DATA)
					[from, end] = [this.turn(chunk, from, at + 1), -1];
				break;
			case CLOSE:
			case CLOSE_LIST:
				this.depth--;
				if (this.isData && this.depth === 2) end = at + 1;
				if (this.isData && this.depth === 1) [from, end] = [this.turn(chunk, from, at), -1];
				break;
			}
		}
		if (end > from && this.isData && !this.isFull) {
			this.keep(chunk.subarray(from, end));
			this.addRows(this.taken());
			from = end;
		}
		this.keep(chunk.subarray(from));
	}

	/* All has come, or no more is wanted: {meta: all but the rows, cells, rowCount, isCut}. Throws what is wrong with the JSON. */
	end() {
		const meta = looseJson(this.around + (this.isFull ? ']}' : this.decoder.decode(this.taken())));
		if (meta === null || typeof meta !== 'object' || Array.isArray(meta)) throw new SyntaxError('not a JSON object');
		return { meta, cells: this.cells, rowCount: this.rowCount, isCut: this.isFull };
	}
}
