/*
 * A filter of rows: the text form of the filter of runs (docs/rest.md), whose keys are the names of columns here. Pure.
 *
 *   loss<0.5 label:cat,dog       all conditions; several values between commas
 *   label:/^c/i or not ok:true   expressions, or, not, brackets
 *   has:note                     the row has a value there
 *   "red car"                    the text occurs in a text of the row, in any case
 */

import { tokens, unquoted } from '../base/filter_text.js';
import { text } from '../text/tables.js';
import { plainText } from './table.js';

const words = text.filter;

const LETTERS_MOST = 4096; /* of a filter */
const DEEPEST = 16; /* brackets within each other */
const PATTERN_MOST = 256; /* characters of an expression */

const NAMED = { true: true, false: false, null: null, none: null };

class Refused extends Error {
	constructor(message, at, length = 0) {
		super(message);
		Object.assign(this, { at, length });
	}
}

/* Commas outside of quotes separate values. */
const valuesOf = (value) => value.match(/(?:"(?:[^"\\]|\\.)*"?|[^,"])+/g) ?? [];

function valueOf(word) {
	if (word.startsWith('"')) return unquoted(word);
	const lower = word.toLowerCase();
	if (Object.hasOwn(NAMED, lower)) return NAMED[lower];
	return word.trim() !== '' && !Number.isNaN(Number(word)) ? Number(word) : word;
}

/* A word is also the text that is typed so, as of whole numbers that a double does not hold, and NaN. */
function isEqual(value, { wanted, word }) {
	if (value === wanted) return true;
	if (value === null || wanted === null || typeof value === typeof wanted) return false;
	return plainText(value) === (typeof value === 'object' ? String(wanted) : word);
}

const LESS = {
	'<': (a, b) => a < b,
	'<=': (a, b) => a <= b,
	'>': (a, b) => a > b,
	'>=': (a, b) => a >= b,
};

function compares(token, { values }) {
	const [word, ...more] = valuesOf(token.value);
	const wanted = word === undefined ? null : valueOf(word);
	if (more.length) throw new Refused(words.oneValue, token.valueFrom);
	if (typeof wanted !== 'number' && typeof wanted !== 'string') throw new Refused(words.noOrder, token.valueFrom);
	const holds = LESS[token.relation];
	return (row) => typeof values[row] === typeof wanted && holds(values[row], wanted);
}

function matchesPattern(token, column) {
	const [, source, flags] = /^\/((?:[^/\\]|\\.)*)\/(i?)$/.exec(token.value) ?? [];
	if (source === undefined) throw new Refused(words.openPattern, token.valueFrom);
	if (source.length > PATTERN_MOST) throw new Refused(words.longPattern(PATTERN_MOST), token.valueFrom);
	try {
		const pattern = new RegExp(source, flags);
		const known = new Map();
		return (row) => {
			const value = column.values[row];
			if (value === null) return false;
			if (!known.has(value)) known.set(value, pattern.test(plainText(value)));
			return known.get(value);
		};
	} catch (fault) {
		throw new Refused(words.badPattern(fault.message), token.valueFrom);
	}
}

function equals(token, { values }) {
	const wanted = valuesOf(token.value).map((word) => ({ wanted: valueOf(word), word }));
	if (!wanted.length) throw new Refused(words.noValue, token.valueFrom);
	return (row) => wanted.some((one) => isEqual(values[row], one));
}

function columnOf(table, word, at) {
	const name = unquoted(word);
	const column = table.column(name);
	if (!column) throw new Refused(words.unknown(name), at, word.length);
	return column;
}

function has(token, table) {
	const columns = valuesOf(token.value).map((word) => columnOf(table, word, token.valueFrom));
	if (!columns.length) throw new Refused(words.noValue, token.valueFrom);
	return (row) => columns.every(({ values }) => values[row] !== null);
}

function term(token, table) {
	if (token.key === 'has' && token.relation === ':') return has(token, table);
	const column = columnOf(table, token.key, token.from);
	if (Object.hasOwn(LESS, token.relation)) return compares(token, column);
	const holds = token.value.startsWith('/') ? matchesPattern(token, column) : equals(token, column);
	return token.relation === '!=' ? (row) => !holds(row) : holds;
}

const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

/* Numbers are not searched: their digits are not what is shown. */
function word(typed, table) {
	const wanted = new RegExp(unquoted(typed).replace(SPECIAL, '\\$&'), 'i');
	const searched = table.columns.filter(({ hasOthers }) => hasOthers).map(({ values }) => values);
	return (row) => {
		for (const values of searched) {
			const value = values[row];
			if (value !== null && typeof value !== 'number' && wanted.test(plainText(value))) return true;
		}
		return false;
	};
}

/* any = all { "or" all }; all = { ["and"] ["not"] one }; one = "(" any ")" | term | word */
function parser(text, table) {
	const list = tokens(text);
	let next = 0;
	const said = (token) => text.slice(token.from, token.to);
	const isNext = (word) => next < list.length && list[next].kind !== 'term' && said(list[next]).toLowerCase() === word;
	const fail = (message) => { throw new Refused(message, list[next]?.from ?? text.length, list[next] ? list[next].to - list[next].from : 0); };

	function take(word) {
		const isThere = isNext(word);
		if (isThere) next++;
		return isThere;
	}

	function one(depth) {
		if (take('not')) {
			const inner = one(depth);
			return (row) => !inner(row);
		}
		const token = list[next];
		if (!token || token.kind === 'joiner' || isNext(')')) return fail(words.noCondition);
		if (depth > DEEPEST) return fail(words.tooDeep);
		if (take('(')) {
			const inner = any(depth + 1);
			if (!take(')')) fail(words.openBracket);
			return inner;
		}
		next++;
		return token.kind === 'term' ? term(token, table) : word(said(token), table);
	}

	function all(depth) {
		const parts = [one(depth)];
		while (next < list.length && !isNext('or') && !isNext(')')) {
			take('and');
			parts.push(one(depth));
		}
		return parts.length === 1 ? parts[0] : (row) => parts.every((holds) => holds(row));
	}

	function any(depth) {
		const parts = [all(depth)];
		while (take('or')) parts.push(all(depth));
		return parts.length === 1 ? parts[0] : (row) => parts.some((holds) => holds(row));
	}

	const whole = any(0);
	if (next < list.length) fail(words.closedBracket);
	return whole;
}

/* {holds(row)} of a filter, null if it is empty; {fault: {words, at, length}} of one that is not understood. */
export function rowFilter(typed, table) {
	if (!typed.trim()) return { holds: null };
	if (typed.length > LETTERS_MOST) return { fault: { words: words.tooLong(LETTERS_MOST), at: LETTERS_MOST, length: 0 } };
	try {
		return { holds: parser(typed, table) };
	} catch (fault) {
		if (!(fault instanceof Refused)) throw fault;
		return { fault: { words: fault.message, at: fault.at, length: fault.length } };
	}
}

export function filterRows(rows, holds) {
	return holds ? rows.filter((row) => holds(row)) : rows;
}
