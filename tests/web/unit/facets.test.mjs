/* What stands once for each value of a key that acts as panels. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { facetted } from '../../../web-static/js/chart/panel/facets.js';

test('facets: what draws groups, but for boxes by a key of their own', () => {
	const groups = ['adam', 'sgd'].map((opt) => ({ of: { own: { 'config.opt': opt } } }));
	const scope = { group: ['config.opt'], roles: ['panel'] };
	const counts = [['line', 2], ['bar', 2], ['scatter', 2], ['box', 2], ['parallel', 1], ['number', 1], ['text', 1]];
	for (const [kind, count] of counts) {
		assert.equal(facetted([{ panels: [{ id: ':1', kind }] }], { groups, scope })[0].panels.length, count, kind);
	}
	assert.equal(facetted([{ panels: [{ id: ':1', kind: 'box', by: 'state' }] }], { groups, scope })[0].panels.length, 1);
});

test('facets: what is null and what is not there are in one panel, which is called by those that there are', () => {
	const scope = { group: ['config.opt'], roles: ['panel'] };
	const namesOf = (...opts) => facetted([{ panels: [{ id: ':1', kind: 'line' }] }],
		{ groups: opts.map((opt) => ({ of: { own: { 'config.opt': opt } } })), scope })[0].panels.map(({ facet }) => facet.name);
	assert.deepEqual(namesOf('adam', null), ['opt=adam', 'opt=null']);
	assert.deepEqual(namesOf(undefined), ['opt=(no value)']);
	assert.deepEqual(namesOf(null, 'adam', undefined), ['opt=null or (no value)', 'opt=adam']);
});
