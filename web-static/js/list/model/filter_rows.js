/*
 * The filter as rows of key, relation and value, and back. What is no row of its own (brackets, or) stays one row as it
 * was written, so that nothing is lost by looking at it.
 */

import { isProgram, keyText, tokens, unquoted, valueText } from '../../base/filter_text.js';

export const RELATIONS = [':', '!=', '<', '>', '<=', '>=', '~', 'has', 'hasNot'];

function rowOf(token, negated) {
	const key = unquoted(token.key);
	if (token.key === 'has') return { key: unquoted(token.value), relation: negated ? 'hasNot' : 'has', value: '' };
	const pattern = token.value.match(/^\/(.*)\/i?$/);
	if (pattern && !negated && token.relation === ':') return { key, relation: '~', value: token.value };
	const relation = token.relation === '=' ? ':' : token.relation;
	if (!negated) return { key, relation, value: token.value };
	return relation === ':' && !pattern ? { key, relation: '!=', value: token.value } : null;
}

function isOr(text, token) {
	return token.kind === 'joiner' && text.slice(token.from, token.to).toLowerCase() === 'or';
}

export function rowsOf(text) {
	const found = tokens(text);
	if (isProgram(text) || found.some((token) => token.kind === 'bracket' || isOr(text, token))) return [{ text: text.trim() }];
	const rows = [];
	let negatedFrom = -1;
	for (const token of found) {
		if (token.kind === 'joiner') {
			if (text.slice(token.from, token.to).toLowerCase() === 'not') negatedFrom = token.from;
			continue;
		}
		const row = token.kind === 'term' && rowOf(token, negatedFrom >= 0);
		rows.push(row || { text: text.slice(negatedFrom >= 0 ? negatedFrom : token.from, token.to) });
		negatedFrom = -1;
	}
	return rows;
}

/* A value is written as it was read: who wants a text that reads like a number puts the quotes there. */
function written(value) {
	return /^(".*"|\/.*\/i?|[^\s()]+)$/s.test(value) ? value : valueText(value);
}

function textOfRow(row) {
	if (row.text !== undefined) return row.text;
	if (row.relation === 'has') return `has:${keyText(row.key)}`;
	if (row.relation === 'hasNot') return `not has:${keyText(row.key)}`;
	if (row.relation !== '~') return `${keyText(row.key)}${row.relation}${written(row.value)}`;
	return `${keyText(row.key)}:${/^\/.*\/i?$/.test(row.value) ? row.value : `/${row.value.replace(/\//g, '\\/')}/`}`;
}

export function textOf(rows) {
	return rows.filter((row) => row.text
		|| (row.key && (row.value || row.relation.startsWith('has')))).map(textOfRow).join(' ');
}
