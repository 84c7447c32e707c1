import assert from 'node:assert/strict';
import test from 'node:test';

import { filterFault } from '../../../web-static/js/list/model/filter_parts.js';
import { bySummary, isOfFilter, isRefused, isUnsorted, likeKey, unknownKey, withKeyInstead, withoutKey } from '../../../web-static/js/list/model/refused.js';
import { readView } from '../../../web-static/js/list/model/run_view.js';

const KEYS = ['name', 'tags', 'group', 'config.opt', 'config.learning_rate', 'summary.val/loss'];
const viewOf = (query) => readView(new URLSearchParams(query));

test('a key that is not known is told which may be meant', () => {
	assert.deepEqual(['opt', 'OPT', 'tag', 'taggs', 'tigs', 'learning_rat', 'val/loss'].map((key) => likeKey(key, KEYS)),
		['config.opt', 'config.opt', 'tags', 'tags', 'tags', 'config.learning_rate', 'summary.val/loss']);
	assert.deepEqual(['config.optt', 'summary.opt', 'config.loss'].map((key) => likeKey(key, KEYS)), ['config.opt', 'config.opt', '']);
	assert.deepEqual(['', 'o', 'momentum', 'tax'].map((key) => likeKey(key, KEYS)), ['', '', '', '']);
	assert.deepEqual(['optim', 'val/acc', 'config.optim'].map((key) => likeKey(key, ['config.optimizer_state', 'config.optimizer', 'summary.val/acc.max'])),
		['config.optimizer', 'summary.val/acc.max', 'config.optimizer'], 'what begins so');
});

test('what the server refuses names the key; a request that was right is none', () => {
	const refused = (status) => isRefused({ status });
	assert.deepEqual([200, 0, 400, 404, 422, 429, 500].filter(refused), [400, 422]);
	assert.equal(isRefused(null), false);
	assert.equal(unknownKey({ body: { detail: 'unknown key "opt", at character 1' } }), 'opt');
	assert.equal(unknownKey({ body: null }), null);
	assert.deepEqual(filterFault({ detail: 'unknown key "tag", at character 1' }, KEYS),
		{ words: 'Unknown key "tag".', at: 0, length: 3, key: 'tag', meant: 'tags' });
	const { words, meant, at } = filterFault({ detail: 'expected a value after the operator, at character 5' }, KEYS, 'lr:<1');
	assert.deepEqual([words, meant, at], ['Expected a value after the operator.', '', 4]);
	assert.deepEqual(['filter', 'filter.$or[0].state'].map((field) => filterFault({ detail: 'unknown operator', field }).words),
		['Unknown operator.', '$or[0].state: unknown operator']);
	assert.equal(filterFault({ detail: 'unknown key "x", at character 4' }, KEYS, '\u{1f9ea}\u{1f9ea} x').at, 5, 'as texts of the page count');
});

test('a key is replaced by the one that is meant, wherever the view has it', () => {
	const changesTo = (query) => withKeyInstead(viewOf(query), 'val/loss', 'summary.val/loss');
	assert.deepEqual(changesTo('sort=-val/loss,name').sort, [{ key: 'summary.val/loss', down: true }, { key: 'name', down: false }]);
	assert.deepEqual(changesTo('group=state,val/loss'), { group: ['state', 'summary.val/loss'] });
	assert.deepEqual(changesTo('cols=*val/loss@90').columns, [{ key: 'summary.val/loss', pinned: true, width: 90 }]);
	assert.deepEqual([changesTo('tint=val/loss'), changesTo('q=val/loss>1')], [{ tint: 'summary.val/loss' }, null]);
});

test('what is refused for its filter, whatever the reason, is told at the filter', () => {
	const of = (status, field) => isOfFilter({ status, body: { field } });
	assert.deepEqual([of(400, 'filter'), of(422, 'filter'), of(400, 'filter.$or[1].state'), of(422, 'filter[0]')], Array(4).fill(true));
	assert.deepEqual([of(400, 'filters'), of(422, 'order'), of(422), of(503, 'filter'), isOfFilter(null), isOfFilter({ status: 422, body: null })],
		Array(6).fill(false));
});

test('a view without a key keeps all else; without any part of that key it has its defaults', () => {
	const view = viewOf('group=opt,user&as=color,dash&cols=opt,name&tint=opt&sort=-opt,name&q=a');
	assert.deepEqual(withoutKey(view, 'opt'), { group: ['user'], roles: ['dash'], columns: [{ key: 'name', pinned: false, width: null }],
		tint: '', sort: [{ key: 'name', down: false }] });
	assert.deepEqual(withoutKey(viewOf('sort=opt&cols=opt'), 'opt'), { sort: viewOf('').sort, columns: null });
	assert.deepEqual(withoutKey(view, null), { sort: viewOf('').sort, group: [], roles: [], columns: null, tint: '' });
});

test('where too many runs are to be sorted by a metric its value in the summary is the way out', () => {
	const { sort } = viewOf('sort=-min(val/loss),name,max(val/loss),loss@best(acc)');
	assert.deepEqual(bySummary(sort), [{ key: 'summary.val/loss', down: true }, { key: 'name', down: false },
		{ key: 'loss@best(acc)', down: false }]);
	const refused = { status: 422, body: { field: 'order' } };
	assert.equal(isUnsorted(refused, sort), true);
	assert.equal(isUnsorted(refused, bySummary(sort)), false);
	assert.equal(isUnsorted({ status: 400, body: { field: 'order' } }, sort), false);
	assert.equal(isUnsorted({ status: 422, body: { field: 'filter' } }, sort), false);
});
