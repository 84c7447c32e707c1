/*
 * Sums of a panel's keys, which are called a, b, c, … in their order: `a / b`, `log(a) - 2 * b`. A small parser of its
 * own: numbers, names, + - * / ^, brackets and a few functions, and no more of any than FORMULA_MOST and DEEPEST say.
 */

import { FORMULA_MOST } from '../panel/layout.js';

const DEEPEST = 20; /* brackets and signs within each other */
const FUNCTIONS = { log: Math.log, log10: Math.log10, log2: Math.log2, exp: Math.exp, sqrt: Math.sqrt, abs: Math.abs };
const TWO = {
	'+': (a, b) => a + b,
	'-': (a, b) => a - b,
	'*': (a, b) => a * b,
	'/': (a, b) => a / b,
	'^': (a, b) => a ** b,
};
const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|([a-z]+\d*)|([-+*/^()]))/y;

function tokensOf(text) {
	const tokens = [];
	for (TOKEN.lastIndex = 0; text.slice(TOKEN.lastIndex).trim();) {
		const at = TOKEN.lastIndex;
		const found = TOKEN.exec(text);
		if (!found) return { fault: at };
		const [whole, number, name, sign] = found;
		tokens.push({ at: at + whole.length - whole.trimStart().length, number: number && Number(number), name, sign });
	}
	return { tokens };
}

/* Returns a function from the values of the keys to a value, or throws {at}. */
function parser(tokens, count, end) {
	let next = 0;

	const peek = (...signs) => signs.includes(tokens[next]?.sign);
	const fail = () => { throw { at: tokens[next]?.at ?? end }; };
	const take = (sign) => peek(sign) ? next++ : fail();

	function inBrackets(depth) {
		take('(');
		const inner = sum(depth + 1);
		take(')');
		return inner;
	}

	function named(name, depth) {
		if (Object.hasOwn(FUNCTIONS, name) && peek('(')) {
			const inner = inBrackets(depth);
			return (values) => FUNCTIONS[name](inner(values));
		}
		const at = name.length === 1 ? name.charCodeAt(0) - 97 : -1;
		if (at < 0 || at >= count) next--, fail();
		return (values) => values[at];
	}

	function one(depth) {
		if (depth > DEEPEST) fail();
		if (peek('(')) return inBrackets(depth);
		if (peek('-')) {
			next++;
			const inner = power(depth + 1);
			return (values) => -inner(values);
		}
		const token = tokens[next++];
		if (token?.number !== undefined) return () => token.number;
		if (token?.name) return named(token.name, depth);
		next--;
		return fail();
	}

	/* Several of the same rank, from the left. */
	function chain(signs, inner) {
		return (depth) => {
			let left = inner(depth);
			while (peek(...signs)) {
				const does = TWO[tokens[next++].sign];
				const [before, right] = [left, inner(depth)];
				left = (values) => does(before(values), right(values));
			}
			return left;
		};
	}

	function power(depth) {
		const base = one(depth);
		if (!peek('^')) return base;
		next++;
		const to = power(depth + 1);
		return (values) => base(values) ** to(values);
	}

	const product = chain(['*', '/'], power);
	const sum = chain(['+', '-'], product);
	const whole = sum(0);
	if (next < tokens.length) fail();
	return whole;
}

/* {value(values)} of a text over `count` keys, or {fault: place in the text}; {} of an empty one. */
export function formulaOf(text, count) {
	if (!text?.trim()) return {};
	if (text.length > FORMULA_MOST) return { fault: FORMULA_MOST };
	const { tokens, fault } = tokensOf(text);
	if (!tokens) return { fault };
	try {
		return { value: parser(tokens, count, text.length) };
	} catch ({ at }) {
		return { fault: at };
	}
}

const isThere = (value) => value !== null && value !== undefined;

/* Applies the formula to the rows next to the visible range, if those of all lines have the same x. */
function besideOf(lines, side, value) {
	const rows = lines.map((line) => line[side]);
	if (!rows.every((row) => row && row.x === rows[0].x)) return null;
	const found = value(rows.map((row) => row.value));
	return Number.isFinite(found) ? { ...rows[0], value: found, columns: undefined } : null;
}

const ODD = ['nan', 'pinf', 'ninf'];
const oddOf = (value) => Number.isNaN(value) ? 'nan' : value > 0 ? 'pinf' : 'ninf';
const hasRows = (line, at) => isThere(line.mean[at]) || ODD.some((name) => line[name][at]);

/*
 * The line that a formula makes of the lines of one owner, where all of them have rows. What is not finite in a key is
 * so in the sum: of as many rows as the key that has most.
 */
function lineOf(lines, value, count) {
	const [first] = lines;
	const mean = new Array(count).fill(null);
	const odd = Object.fromEntries(ODD.map((name) => [name, new Array(count).fill(0)]));
	for (let at = 0; at < count; at++) {
		if (!lines.every((line) => hasRows(line, at))) continue;
		for (const name of ODD) odd[name][at] = Math.max(...lines.map((line) => line[name][at] || 0));
		if (!lines.every((line) => isThere(line.mean[at]))) continue;
		const found = value(lines.map((line) => line.mean[at]));
		if (Number.isFinite(found)) mean[at] = found;
		else odd[oddOf(found)][at] ||= 1;
	}
	const n = mean.map((one, at) => (isThere(one) ? Math.min(...lines.map((line) => line.n[at])) : 0));
	return {
		...first,
		dash: undefined,
		middle: undefined,
		before: besideOf(lines, 'before', value),
		after: besideOf(lines, 'after', value),
		mean,
		min: mean,
		max: mean,
		n,
		...odd,
		spread: new Array(count).fill(null),
	};
}

/* lines: of all owners and keys; a line each owner that has all keys. */
export function formulaLines(lines, { keys, formula, count }) {
	const { value } = formulaOf(formula, keys.length);
	if (!value) return lines;
	const owners = new Map();
	for (const line of lines) owners.set(line.who, [...(owners.get(line.who) || []), line]);
	return [...owners.values()]
		.map((own) => keys.map((key) => own.find((line) => line.key === key)))
		.filter((own) => own.every(Boolean))
		.map((own) => ({ ...lineOf(own, value, count), id: own[0].who, name: own[0].run, rest: undefined }));
}
