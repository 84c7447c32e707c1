import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { addressOf, apiPath } = await import('../../../web-static/js/address.js');
const { root } = await import('../../../web-static/js/api.js');
const of = (path) => addressOf(root.pathname + path);

test('addresses that clients print, and old habits', () => {
	assert.deepEqual(of(''), { page: 'projects', entity: undefined });
	assert.deepEqual(of('ann'), { page: 'projects', entity: 'ann' });
	assert.equal(of('authorize').page, 'keys');
	assert.equal(of('login').page, 'keys');
	assert.equal(of('login/link').page, 'link');
	assert.deepEqual(of('ann/digits'), { page: 'workspace', entity: 'ann', project: 'digits' });
	assert.deepEqual(of('ann/digits/workspace'), of('ann/digits'));
	assert.deepEqual(of('ann/digits/runs/r%2F1'), { page: 'run', entity: 'ann', project: 'digits', run: 'r/1', tab: 'overview' });
	assert.equal(of('ann/digits/runs/r1/workspace').page, 'run');
	assert.equal(of('ann/digits/groups/g%201').group, 'g 1');
	assert.equal(of('ann/digits/table').page, 'table');
	const artifact = (path) => {
		const { page, type, collection, version, tab } = of(`ann/digits/artifacts${path}`);
		return [page, type, collection, version, tab];
	};
	assert.deepEqual(artifact(''), ['artifacts', undefined, undefined, undefined, 'overview']);
	assert.deepEqual(artifact('/model'), ['artifacts', 'model', undefined, undefined, 'overview']);
	assert.deepEqual(artifact('/model/m%20n'), ['artifacts', 'model', 'm n', undefined, 'overview']);
	assert.deepEqual(artifact('/model/m/a%2Fb/files'), ['artifacts', 'model', 'm', 'a/b', 'files']);
	assert.deepEqual(of('ann/digits/sweeps/k3x9a0bq/trials'), { page: 'sweeps', entity: 'ann', project: 'digits', sweep: 'k3x9a0bq', tab: 'trials' });
	assert.deepEqual([of('ann/digits/sweeps').page, of('ann/digits/sweeps').sweep], ['sweeps', undefined]);
	assert.equal(of('settings/profile').page, 'settings-profile');
	assert.equal(of('lab/settings/members').page, 'entity-settings-members');
});

test('what is no address', () => {
	const pages = ['keys', 'projects', 'run', 'none', 'admin-server', 'settings-profile', 'toString', '__proto__'];
	for (const path of ['ann/digits/runs', 'ann/digits/runs/r1/overview/x', 'ann/digits/a/b', '%E0', 'ann/digits/table/x', 'ann/digits/artifacts/a/b/c/d/e', 'ann/digits/sweeps/a/b/c',
		...pages.map((page) => `ann/digits/${page}`)]) {
		assert.equal(of(path).page, 'none', path);
	}
});

test('paths of the API are escaped', () => {
	assert.equal(apiPath('ann', 'a b', 'r/1'), 'projects/ann/a%20b/runs/r%2F1');
});
