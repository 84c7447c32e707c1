/*
 * The text form of the filter, cut into what it is made of: terms (key, relation, value), free words, brackets and
 * `and or not`. It never refuses: the server says what is wrong, and where.
 */

const RELATIONS = ['!=', '<=', '>=', '<', '>', ':', '='];
const JOINERS = ['and', 'or', 'not'];
const PLAIN = /^[^\s()"<>=!:,]+$/;

function pastQuotes(text, at) {
	for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
	return Math.min(at + 1, text.length);
}

function pastPattern(text, at) {
	for (at++; at < text.length && text[at] !== '/'; at++) if (text[at] === '\\') at++;
	return Math.min(text[at + 1] === 'i' ? at + 2 : at + 1, text.length);
}

/* Up to a blank, a bracket or a relation that no quotes hide. */
function pastWord(text, at, stop) {
	while (at < text.length && !stop.test(text[at])) at = text[at] === '"' ? pastQuotes(text, at) : at + 1;
	return at;
}

function pastValue(text, at) {
	if (text[at] === '/') return pastPattern(text, at);
	return pastWord(text, at, /[\s()]/);
}

function tokenAt(text, from) {
	if ('()'.includes(text[from])) return { kind: 'bracket', from, to: from + 1 };
	const keyTo = pastWord(text, from, /[\s()<>=!:]/);
	const relation = RELATIONS.find((one) => text.startsWith(one, keyTo));
	if (!relation || keyTo === from) {
		const to = Math.max(keyTo, from + 1);
		return { kind: JOINERS.includes(text.slice(from, to).toLowerCase()) ? 'joiner' : 'word', from, to };
	}
	const valueFrom = keyTo + relation.length;
	return { kind: 'term', from, keyTo, relation, valueFrom, to: pastValue(text, valueFrom),
		key: text.slice(from, keyTo), value: text.slice(valueFrom, pastValue(text, valueFrom)) };
}

export function tokens(text) {
	const found = [];
	for (let at = 0; at < text.length;) {
		if (/\s/.test(text[at])) {
			at++;
			continue;
		}
		found.push(tokenAt(text, at));
		at = found.at(-1).to;
	}
	return found;
}

/* The values of a list, which commas outside of quotes separate. */
function partsOf(value) {
	const parts = [];
	for (let at = 0; at <= value.length; at += parts.at(-1).length + 1) parts.push(value.slice(at, pastWord(value, at, /,/)));
	return parts;
}

/* Returns where the part of a list begins that ends at `to`. */
function lastPart(text, from, to) {
	return to - partsOf(text.slice(from, to)).at(-1).length;
}

/* Returns the part of the filter at the caret: {part: 'key' or 'value', key, typed, from, to}. */
export function spotAt(text, caret) {
	const token = tokens(text).find(({ from, to }) => from <= caret && caret <= to);
	if (!token || token.kind === 'bracket') return { part: 'key', typed: '', from: caret, to: caret };
	if (token.kind !== 'term') return { part: 'key', typed: text.slice(token.from, caret), from: token.from, to: token.to };
	if (caret <= token.keyTo) return { part: 'key', typed: text.slice(token.from, caret), from: token.from, to: token.keyTo };
	const from = lastPart(text, token.valueFrom, caret);
	if (token.key === 'has') return { part: 'key', typed: text.slice(from, caret), from, to: token.to };
	return { part: 'value', key: unquoted(token.key), typed: unquoted(text.slice(from, caret)), from, to: token.to };
}

export function unquoted(word) {
	return word.replace(/"((?:[^"\\]|\\.)*)"?/g, (whole, inner) => inner.replace(/\\(.)/g, '$1'));
}

function quotes(word) {
	return `"${word.replace(/[\\"]/g, '\\$&')}"`;
}

/* config.my key: only the name behind the first dot needs quotes. */
export function keyText(key) {
	if (PLAIN.test(key)) return key;
	const dot = key.indexOf('.');
	return dot < 0 ? quotes(key) : `${key.slice(0, dot + 1)}${quotes(key.slice(dot + 1))}`;
}

/* A text that reads like a number, a truth or a pattern stands between quotes, else it would be one. */
export function valueText(value) {
	if (typeof value !== 'string') return String(value);
	const isWord = PLAIN.test(value) && Number.isNaN(Number(value)) && value[0] !== '/'
		&& !/^(true|false|null|none|and|or|not)$/i.test(value);
	return isWord ? value : quotes(value);
}

export function termText(key, relation, value) {
	return `${keyText(key)}${relation}${valueText(value)}`;
}

/* Two filters that both have to hold. */
export function both(one, other) {
	if (!one.trim() || !other.trim()) return one.trim() || other.trim();
	const plain = tokens(one).every((token) => token.kind !== 'joiner' || one.slice(token.from, token.to).toLowerCase() !== 'or');
	return `${plain ? one.trim() : `(${one.trim()})`} ${other.trim()}`;
}

/* A filter of a program is JSON, which the server accepts as well as the text form. */
export const isProgram = (filter) => filter.trim().startsWith('{');

/* Adds conditions to a filter in either form; each is {text, json}. */
export function narrowed(filter, conditions) {
	if (!isProgram(filter)) return conditions.map(({ text }) => text).reduce(both, filter);
	const all = [filter.trim(), ...conditions.map(({ json }) => JSON.stringify(json))];
	return conditions.length ? `{"$and": [${all.join(', ')}]}` : filter;
}

/* The keys that it is about, those of has:… too; none of a program's. */
export function keysIn(filter) {
	if (isProgram(filter)) return [];
	const terms = tokens(filter).filter(({ kind }) => kind === 'term');
	return terms.flatMap(({ key, value }) => key === 'has' ? partsOf(value).map(unquoted) : [unquoted(key)]);
}

/* The filter with another key in the place of one; that of a program stays. */
export function withOtherKey(filter, key, other) {
	if (isProgram(filter)) return filter;
	const named = (word) => unquoted(word) === key ? keyText(other) : word;
	const terms = tokens(filter).filter(({ kind }) => kind === 'term').reverse();
	return terms.reduce((text, { from, keyTo, relation, valueFrom, to, key: name, value }) => {
		const written = name === 'has' ? name + relation + partsOf(value).map(named).join(',') : named(name) + text.slice(keyTo, valueFrom) + value;
		return text.slice(0, from) + written + text.slice(to);
	}, filter);
}

/* The text after the colon of `key:` was followed by a relation, as after a suggestion: `key:<` is meant as `key<`. */
export function withoutColon(text, caret) {
	const { part, from } = spotAt(text, caret);
	return part === 'value' && /^([<>=]|!=?)$/.test(text.slice(from, caret)) && text[from - 1] === ':' ? text.slice(0, from - 1) + text.slice(from) : null;
}

/* How many conditions there are: what stands on the button. */
export function countOf(text) {
	if (isProgram(text)) return 1;
	return tokens(text).filter((token) => token.kind === 'term' || token.kind === 'word').length;
}
