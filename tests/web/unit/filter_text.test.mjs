import assert from 'node:assert/strict';
import test from 'node:test';

import { partsOf, strictest } from '../../../web-static/js/list/model/filter_parts.js';
import { rowsOf, textOf } from '../../../web-static/js/list/model/filter_rows.js';
import {
	both, countOf, keysIn, keyText, spotAt, termText, tokens, unquoted, valueText, withOtherKey, withoutColon,
} from '../../../web-static/js/base/filter_text.js';

test('a filter is cut into terms, words, brackets and joiners', () => {
	const text = 'state:crashed (config.lr<=0.01 or not name:/a (b)/i) "two words" x';
	assert.deepEqual(tokens(text).map(({ kind, from, to }) => [kind, text.slice(from, to)]), [
		['term', 'state:crashed'], ['bracket', '('], ['term', 'config.lr<=0.01'], ['joiner', 'or'], ['joiner', 'not'],
		['term', 'name:/a (b)/i'], ['bracket', ')'], ['word', '"two words"'], ['word', 'x']]);
	const [term] = tokens('config."my key"!="a \\" b"');
	assert.deepEqual([term.key, term.relation, term.value], ['config."my key"', '!=', '"a \\" b"']);
});

test('whatever is typed comes to an end', () => {
	for (const text of ['"', ':', '::', 'a:"', 'a:/', '((', 'a:', '<>', '\\', 'not', '!', 'a!b', '\u{1f9ea}:\u05d0']) {
		const found = tokens(text);
		assert.ok(found.every(({ from, to }) => from < to), text);
		assert.equal(found.at(-1).to, text.length, text);
	}
});

test('what is typed at the caret', () => {
	const text = 'state:crashed,fai config.l';
	assert.deepEqual(spotAt(text, 17), { part: 'value', key: 'state', typed: 'fai', from: 14, to: 17 });
	assert.deepEqual(spotAt(text, text.length), { part: 'key', typed: 'config.l', from: 18, to: 26 });
	assert.deepEqual(spotAt('has:summ', 8), { part: 'key', typed: 'summ', from: 4, to: 8 });
	assert.deepEqual(spotAt('has:config."a,b",su', 19), { part: 'key', typed: 'su', from: 17, to: 19 });
	assert.deepEqual(spotAt('tags:"a,b', 9), { part: 'value', key: 'tags', typed: 'a,b', from: 5, to: 9 });
	assert.deepEqual(spotAt('a ', 2), { part: 'key', typed: '', from: 2, to: 2 });
	assert.equal(spotAt('config."my key":x', 17).key, 'config.my key');
});

test('what is no plain word stands between quotes', () => {
	assert.equal(termText('config.my key', ':', 'a "b"'), 'config."my key":"a \\"b\\""');
	assert.equal(keyText('config.eval/loss'), 'config.eval/loss');
	assert.deepEqual(['1e3', 'true', '/x', 'a,b', '', 'adam', 0.5].map(valueText), ['"1e3"', '"true"', '"/x"', '"a,b"', '""', 'adam', '0.5']);
	assert.equal(unquoted('config."a \\" b"'), 'config.a " b');
});

test('two filters that both hold', () => {
	assert.equal(both('a or b', 'c:d'), '(a or b) c:d');
	assert.equal(both('"a or b"', 'c:d'), '"a or b" c:d');
	assert.equal(both('', 'c:d'), 'c:d');
});

test('a filter as rows and back', () => {
	const text = 'state:crashed,failed config.lr<0.01 not has:summary.acc name:/^a/ tags!=x word';
	assert.deepEqual(rowsOf(text).map((row) => [row.key, row.relation, row.value, row.text]), [
		['state', ':', 'crashed,failed', undefined], ['config.lr', '<', '0.01', undefined],
		['summary.acc', 'hasNot', '', undefined], ['name', '~', '/^a/', undefined], ['tags', '!=', 'x', undefined],
		[undefined, undefined, undefined, 'word']]);
	assert.equal(textOf(rowsOf(text)), text);
	assert.equal(countOf(text), 6);
	assert.equal(countOf('{"a": 1, "b": {"$gt": 2}}'), 1);
});

test('what rows cannot say stays as it was written', () => {
	for (const text of ['{"state": {"$in": ["a b", "c"]}}', 'a:1 or b:2', '(a:1) b:2', 'not config.x>3', 'not name:/x/'])
		assert.equal(textOf(rowsOf(text)), text);
});

test('a row that is not filled in yet says nothing', () => {
	assert.equal(textOf([{ key: '', relation: ':', value: '' }, { key: 'name', relation: '~', value: 'a/b' },
		{ key: 'config.my key', relation: ':', value: 'two words' }]), 'name:/a\\/b/ config."my key":"two words"');
});

test('a filter as parts that all have to hold, and which of them removes most', async () => {
	assert.deepEqual(partsOf('state:failed and (a:1 or b:2) not has:config.lr not (c:1 d:2) word'),
		['state:failed', '(a:1 or b:2)', 'not has:config.lr', 'not (c:1 d:2)', 'word']);
	assert.deepEqual(['a:1 or b:2', '{"a": 1}', '(a:1', 'a:1)', 'a:1 not', ''].map(partsOf), [[], [], [], [], [], []]);
	const counts = (found) => async (filter) => found[filter] ?? 0;
	assert.deepEqual(await strictest('a:1 b:2 c:3', counts({ 'a:1 c:3': 7, 'a:1 b:2': 9 })), { part: 'c:3', rest: 'a:1 b:2', count: 9 });
	assert.deepEqual(await strictest('a:1 b:2', counts({ 'a:1': 5, 'b:2': 0 })), { part: 'b:2', rest: 'a:1', count: 5 });
	assert.deepEqual(await strictest('a:1 b:2 c:3', counts({ 'a:1': 5, 'b:2': 1, 'c:3': 4 })), { part: 'b:2', rest: 'a:1 c:3', count: 0 });
	assert.equal(await strictest('a:1', counts({})), null);
	assert.equal(await strictest('a b c d e f g h i', () => assert.fail('too many')), null);
	assert.equal(await strictest('a:1 b:2', async () => null), null);
});

test('the keys that a filter is about', () => {
	assert.deepEqual(keysIn('loss config.lr<1 (not config."a b":x or has:summary.acc,config."x,y",tags)'), ['config.lr', 'config.a b', 'summary.acc', 'config.x,y', 'tags']);
	assert.deepEqual(keysIn('{"state": "running"}'), []);
});

test('a relation that is typed after a suggested key takes the place of its colon', () => {
	const typed = (text) => withoutColon(text, text.length);
	assert.deepEqual(['summary.loss:<', 'config.a:>', 'config.a:=', 'config.a:!', '(state:running config.a:<'].map(typed),
		['summary.loss<', 'config.a>', 'config.a=', 'config.a!', '(state:running config.a<']);
	assert.deepEqual(['config.a:1', 'config.a:"<', 'config.a<', 'config.a:', 'name:a<', '<'].map(typed), Array(6).fill(null));
	assert.equal(withoutColon('config.a:< state:running', 10), 'config.a< state:running');
});

test('a key is replaced in each condition, and in has:', () => {
	assert.equal(withOtherKey('val/loss<1 or (state:failed val/loss>2) has:val/loss,config.lr "val/loss"', 'val/loss', 'summary.val/loss'),
		'summary.val/loss<1 or (state:failed summary.val/loss>2) has:summary.val/loss,config.lr "val/loss"');
	assert.equal(withOtherKey('config.ab:1', 'config.ab', 'config.a b'), 'config."a b":1');
	assert.equal(withOtherKey('{"a": 1}', 'a', 'b'), '{"a": 1}');
});
