import assert from 'node:assert/strict';
import test from 'node:test';

import { changesTo, elsewhere, isEdited, stateOf } from '../../../web-static/js/list/model/saved_view.js';

const query = new URLSearchParams('q=a&sort=b&view=v1&panel=loss');

test('what is only looked at is not kept', () => {
	assert.deepEqual(stateOf(query), { q: 'a', sort: 'b' });
});

test('a view takes away what is not in it', () => {
	assert.deepEqual(changesTo(query, { q: 'c', cols: 'd', odd: 5, view: 'x' }, 'v2'), { q: 'c', sort: null, cols: 'd', view: 'v2' });
});

test('edited is what differs, and an empty text is none', () => {
	assert.equal(isEdited(stateOf(query), { q: 'a', sort: 'b' }), false);
	assert.equal(isEdited(stateOf(query), { q: 'a' }), true);
	assert.equal(isEdited({}, { q: '' }), false);
});

test('runs of a project mean nothing in another', () => {
	assert.deepEqual(elsewhere({ q: 'a', on: 'r1', off: 'r2', base: 'r3', layout: '{}' }), { q: 'a', layout: '{}' });
});
